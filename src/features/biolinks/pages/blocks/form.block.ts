import { type Html, html } from "../markup/html.ts";
import { blockTitle } from "./block-fields.ts";
import { type BlockContext, defineBlock } from "./block-type.ts";
import { formInput, inputId } from "./form-inputs.ts";
import { honeypotName, SENT, TOKEN_INPUT } from "./form-names.ts";
import { FormSettings } from "./form-settings.ts";

const TURNSTILE = "https://challenges.cloudflare.com";
const TURNSTILE_SCRIPT = `${TURNSTILE}/turnstile/v0/api.js`;

export const formBlock = defineBlock({
  type: "form",
  description: "Questions whose answers become a submission, and a contact if you want.",
  settings: FormSettings,
  sample: {
    title: "Hear of new pieces first",
    submit_label: "Keep me posted",
    success: { message: "Thank you! You will hear from me before the next firing." },
    fields: [
      { id: "name", type: "text", label: "Your name", required: true },
      { id: "email", type: "email", label: "Email", required: true },
      { id: "wish", type: "textarea", label: "What are you looking for?", required: false },
      {
        id: "news",
        type: "consent",
        label: "Send me news by email. I can stop them at any time.",
        required: true,
      },
    ],
    spam: { min_seconds: 2, max_per_ip_hour: 5, turnstile: false },
    retention_days: 365,
    one_per_email: false,
    contact: { create: true, map: { name: "name", email: "email" } },
  },
  names: ({ contact }) =>
    (contact?.tags ?? []).map((id, index) => ({ kind: "tag", id, field: `contact.tags.${index}` })),
  view: (settings, context) => {
    const { title, fields, submit_label, contact, success, spam } = settings;
    const { path, blockId } = context;
    const bait = honeypotName(
      blockId,
      fields.map(({ id }) => id),
    );
    // Shown when the answer to the form leads to it, without a script or a second address.
    const sent =
      success.message &&
      html`<p class="card sent" id="${SENT}${blockId}" role="status" tabindex="-1">${success.message}</p>`;
    // Who filled the last place is still told so. Who sent it meanwhile gets the answers back.
    if (context.isFull && !context.formState) return html`${sent}${closedForm(settings, context)}`;
    const turnstile = spam.turnstile && turnstileBox(context);
    return html`${sent}<form class="card form" id="form-${blockId}" method="post" action="${path}/form/${blockId}" accept-charset="utf-8">${blockTitle(title)}${faultSummary(settings, context)}${fields.map(
      (field) => formInput(field, context, field.id === contact?.map?.name ? "name" : undefined),
    )}<div class="sr" aria-hidden="true"><label>${context.words.leaveEmpty}<input name="${bait}" tabindex="-1" autocomplete="off"></label></div>${turnstile}<input type="hidden" name="${TOKEN_INPUT}" value="${context.formToken()}"><button class="btn">${submit_label}</button></form>`;
  },
  after: (settings, context) =>
    settings.closes_at === undefined
      ? undefined
      : { at: Date.parse(settings.closes_at), view: closedForm(settings, context) },
  css: `.sent{display:none;margin:0;font-weight:600;text-align:center;white-space:pre-line}.sent:target{display:block}.sent:target+form{display:none}
.form p.mute{margin:0}.cf-turnstile{min-height:65px}
.form{display:flex;flex-direction:column;gap:1.125rem;text-align:start}.form>h2{margin:0}
.form label,.form legend{display:block;margin-bottom:.375rem;padding:0;font-weight:600;line-height:1.4}.form .mute{font-weight:400}
.form input,.form select,.form textarea{display:block;width:100%;min-height:3rem;padding:.625rem .875rem;border:1px solid var(--mute);border-radius:min(var(--r),.875rem);background:var(--card);color:var(--ink);font:inherit}
.form textarea{resize:vertical}.form ::placeholder{color:var(--mute);opacity:1}
.form fieldset{margin:0;padding:0;border:0}
.form .tick{display:flex;align-items:flex-start;gap:.75rem;min-height:2.75rem;margin:0;padding:.625rem 0;font-weight:400;cursor:pointer}
.form .tick input{flex:none;width:1.375rem;height:1.375rem;min-height:0;margin:0}
@media(forced-colors:none){.form select{padding-inline-end:2.5rem;background:conic-gradient(from -45deg at 50% 100%,var(--mute) 90deg,#0000 0) calc(100% - 1rem)/.75rem .375rem no-repeat var(--card);appearance:none}[dir=rtl] .form select{background-position:1rem}
.form .tick input{display:grid;place-items:center;padding:0;border-radius:min(var(--r),.375rem);appearance:none;print-color-adjust:exact}.tick :checked{border-color:var(--act);background:var(--act)}.tick :checked::before{content:'';width:.4375rem;height:.75rem;margin-top:-.1875rem;border:solid var(--on);border-width:0 2.5px 2.5px 0;transform:rotate(45deg)}}
.form [aria-invalid]{border:2px solid var(--bad)}
@media(forced-colors:active){.form .tick [aria-invalid]:not(:focus-visible){outline:2px solid;outline-offset:2px}}
.fault,.faults{margin:.375rem 0 0;color:var(--bad);font-size:.9375rem;font-weight:600}
.faults{margin:0;padding:.875rem 1rem;border:2px solid;border-radius:min(var(--r),.875rem)}.faults p{margin:0}.faults ul{margin:.375rem 0 0;padding-inline-start:1.25rem}
.form .btn{background:var(--act);color:var(--on)}
.form :focus-visible{outline-offset:1px}`,
});

function closedForm({ title }: FormSettings, { words }: BlockContext): Html {
  return html`<div class="card form">${blockTitle(title)}<p class="mute">${words.closed}</p></div>`;
}

/**
 * Its script, which is loaded at the form's first focus, puts a hidden input into it, by which we
 * ask what it says of the visitor. Without a script the form is sent as it is, and held.
 */
function turnstileBox({ turnstileSiteKey, frame, load }: BlockContext): Html {
  if (turnstileSiteKey === "") return html``;
  frame(TURNSTILE);
  load("turnstile", TURNSTILE_SCRIPT);
  return html`<div class="cf-turnstile" data-sitekey="${turnstileSiteKey}" data-load="${TURNSTILE_SCRIPT}"></div>`;
}

/** In view and read out at once, however far down its form is; each line leads to its field. */
function faultSummary({ fields }: FormSettings, context: BlockContext): Html {
  const errors = context.formState?.errors ?? {};
  if (Object.keys(errors).length === 0) return html``;
  const faulty = fields.filter(({ id, type }) => errors[id] && type !== "hidden");
  const whole = errors[""];
  return html`<div class="faults" role="alert" tabindex="-1" autofocus>${whole ? html`<p>${whole}</p>` : html`<p>${context.words.checkFields}</p>`}${
    faulty.length > 0 &&
    html`<ul>${faulty.map(({ id, label }) => html`<li><a href="#${inputId(context, id)}">${label}</a></li>`)}</ul>`
  }</div>`;
}
