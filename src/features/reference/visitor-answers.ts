/** What visitors of short links get instead of, or before, a redirect. */
export interface VisitorAnswer {
  code: string;
  /** Of the page; a program that asks for JSON gets 403 where a form stands in its way with 200. */
  status: number;
  when: string;
}

export const VISITOR_ANSWERS: readonly VisitorAnswer[] = [
  {
    code: "password_required",
    status: 200,
    when: "The link asks for a password: a form. 401 when the password was wrong.",
  },
  {
    code: "consent_required",
    status: 200,
    when: "The link is marked as sensitive: a form that asks for consent.",
  },
  {
    code: "continue",
    status: 200,
    when: "A page that fires the link's pixels and goes on within a second. Never for crawlers, and never for programs that ask for JSON.",
  },
  { code: "not_found", status: 404, when: "No such link, or it is paused." },
  {
    code: "method_not_allowed",
    status: 405,
    when: "A link takes GET and HEAD, and POST where it shows a form; `Allow` says which.",
  },
  {
    code: "gone",
    status: 410,
    when: "The operator has switched the link off, or has suspended its workspace.",
  },
  {
    code: "rate_limited",
    status: 429,
    when: "Over 10 passwords a minute for one link from one address. `Retry-After` says how long to wait.",
  },
  {
    code: "unavailable",
    status: 503,
    when: "The link could not be looked up: try again after `Retry-After` seconds.",
  },
];
