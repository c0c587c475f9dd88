import { html } from "hono/html";

/** What somebody may find wrong with what stands at an address. */
export const REPORT_REASONS = {
  phishing: "It asks for passwords, payments or personal data by deceit",
  malware: "It spreads harmful software",
  spam: "It is spam or misleading",
  impersonation: "It pretends to be somebody else",
  illegal: "It shows or sells what is against the law",
  sexual_minors: "It sexualises minors",
  violence: "It threatens, harasses or glorifies violence",
  copyright: "It infringes a copyright or a trade mark",
  other: "Something else",
} as const;
export type ReportReason = keyof typeof REPORT_REASONS;

export const MAX_REPORT_DETAILS = 1000;
export const MAX_REPORTED_ADDRESS = 2048;

/** A report as its form holds it. */
export interface ReportFields {
  at: string;
  reason: string;
  details: string;
}

const PROBLEMS = {
  foreign: "Nothing was reported: that did not come from this page. Report it here.",
  address: "There is nothing at this address of this site that can be reported.",
  reason: "Choose what is wrong.",
  details: `Describe it in at most ${MAX_REPORT_DETAILS} characters.`,
};

/** The form of a report, or the thanks for one. */
export interface ReportPage {
  kind: "report";
  fields: ReportFields;
  problem?: keyof typeof PROBLEMS | undefined;
}

export interface ReportedPage {
  kind: "reported";
}

export function reportContent({ fields, problem }: ReportPage) {
  const { at, reason, details } = fields;
  const marks = (field: string) =>
    field === problem ? html` aria-invalid="true" aria-describedby="problem"` : "";
  return {
    status: problem === "foreign" ? 403 : problem ? 422 : 200,
    icon: "flag" as const,
    ...(problem && { alert: "Not reported" }),
    title: "Report a page or a link",
    text: "Tell whoever runs this site what is wrong. Who made the page is not told of you.",
    more: html`${problem ? html`<p class="wrong" id="problem" role="alert">${PROBLEMS[problem]}</p>` : ""}<form method="post" action="/_report"><label for="at">Address</label><input id="at" name="at" value="${at}" maxlength="${MAX_REPORTED_ADDRESS}" autocomplete="off" required${marks("address")}><label for="reason">What is wrong?</label><select id="reason" name="reason" required${marks("reason")}><option value="">Choose</option>${Object.entries(REPORT_REASONS).map(([value, words]) => html`<option value="${value}"${value === reason ? html` selected` : ""}>${words}</option>`)}</select><label for="details">Details (optional)</label><textarea id="details" name="details" rows="4" maxlength="${MAX_REPORT_DETAILS}"${marks("details")}>${details}</textarea><button>Report</button></form>`,
  };
}

export function reportedContent() {
  return {
    status: 200,
    icon: "flag" as const,
    title: "Thank you",
    text: "Your report has arrived and will be looked at.",
  };
}
