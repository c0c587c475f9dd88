import { PATIENCE_MILLISECONDS, pauseByChance } from "../../../api/unchanged.ts";
import { announceEvents } from "../../../events/events.service.ts";
import type { Context } from "../../../platform/context/context.ts";
import { sha256Hex } from "../../../platform/crypto/digest.ts";
import { isMissing, isReferenceConflict, isUniqueConflictOf } from "../../../platform/db/faults.ts";
import { newId, newRevision } from "../../../platform/ids.ts";
import { now, toTimestamp } from "../../../platform/time.ts";
import type { FormVisit } from "../../../visitor/bio-pages/form-token.ts";
import { prepareContact } from "../../salesbot/contacts/contact-offers.ts";
import { honeypotName } from "../pages/blocks/form-names.ts";
import type { FormField, FormSettings } from "../pages/blocks/form-settings.ts";
import { redrawSoon } from "../pages/page-product-changes.ts";
import {
  isEmail,
  type JudgedAnswers,
  judgeAnswers,
  type Posted,
  type Problem,
} from "./form-answers.ts";
import { hasBlockedWord, hasManyLinks, isPersonal } from "./spam-signs.ts";
import { contactOf } from "./submission-contact.ts";
import { dueAt } from "./submission-times.ts";
import {
  type Circumstances,
  judgeSigns,
  MAX_SPAM,
  spamBefore,
  type Verdict,
} from "./submission-verdict.ts";
import { heldEvent, receivedEvent } from "./submissions.presenter.ts";
import {
  insertSubmission,
  type Looked,
  look,
  type SubmissionRow,
} from "./submissions.repository.ts";
import type { Answers, ContactRule, SubmittedConsent } from "./submissions.schemas.ts";

const DUPLICATE_MILLISECONDS = 10 * 60_000;

/** Something that was sent, by a visitor who was shown the form. */
export interface Sent {
  pageId: string;
  blockId: string;
  settings: FormSettings;
  visit: FormVisit;
  posted: Posted;
  /** ISO 3166-1 alpha-2; null: nobody knows. */
  country: string | null;
  /** Asked at most once, and only when it matters. */
  askTurnstile: () => Promise<Circumstances["turnstile"]>;
}

export type Outcome =
  /** Whatever was made of it: whoever sent it is told the same. `isCounted`: accepted, just now. */
  | { kind: "taken"; isCounted: boolean }
  | { kind: "closed" }
  | { kind: "invalid"; problems: Record<string, Problem> };

/**
 * Takes what was sent with a form, once for each token. What the database knows is looked at first;
 * what is written holds only as long as that is so: else it is looked at again.
 */
export async function takeSubmission(ctx: Context, sent: Sent): Promise<Outcome> {
  const startedAt = now();
  const { blockId, settings, visit, posted } = sent;
  const judged = judgeAnswers(settings.fields, posted);
  const digest = isPersonal(settings.fields, judged.answers)
    ? await sha256Hex(JSON.stringify(judged.answers))
    : "";
  const onlyEmail = settings.one_per_email ? firstEmail(settings, judged.answers) : null;
  const turnstile = { asked: undefined as Circumstances["turnstile"] | undefined };
  for (;;) {
    const time = now();
    const asked = { blockId, nonce: visit.nonce, digest, onlyEmail };
    const looked = await look(ctx.db, ctx.workspaceId, {
      ...asked,
      since: time - DUPLICATE_MILLISECONDS,
    });
    if (looked.isRepeat) return { kind: "taken", isCounted: false };
    if (settings.limit !== undefined && looked.accepted >= settings.limit)
      return { kind: "closed" };
    const verdict = await judge(sent, judged, looked, turnstile, startedAt);
    if ("problems" in verdict) return { kind: "invalid", problems: verdict.problems };
    if (verdict.status === "spam" && looked.spam >= MAX_SPAM)
      return { kind: "taken", isCounted: false };
    const row = await rowOf(ctx, sent, judged.answers, verdict, { digest, onlyEmail, time });
    const written = await write(ctx, sent, row, looked.hasContacts, time);
    if (written === "stands") return { kind: "taken", isCounted: false };
    if (written === "written") return { kind: "taken", isCounted: row.status === "accepted" };
    const elapsed = now() - startedAt;
    if (elapsed >= PATIENCE_MILLISECONDS)
      throw new Error("A submission was overtaken for too long.");
    await pauseByChance(elapsed);
  }
}

async function judge(
  { blockId, settings, visit, posted, askTurnstile }: Sent,
  { answers, problems }: JudgedAnswers,
  { isDuplicate, isKnown }: Looked,
  turnstile: { asked: Circumstances["turnstile"] | undefined },
  sentAt: number,
): Promise<Verdict | { problems: Record<string, Problem> }> {
  const { fields, spam } = settings;
  const bait = honeypotName(
    blockId,
    fields.map(({ id }) => id),
  );
  const circumstances = {
    hasBait: (posted[bait] ?? []).some((value) => value !== ""),
    seconds: (sentAt - visit.openedAt) / 1000,
    minSeconds: spam.min_seconds,
  };
  const plain = spamBefore({ ...circumstances, turnstile: "unasked" });
  if (plain) return { status: "spam", reasons: [plain] };
  turnstile.asked ??= spam.turnstile ? await askTurnstile() : "unasked";
  const refused = spamBefore({ ...circumstances, turnstile: turnstile.asked });
  if (refused) return { status: "spam", reasons: [refused] };
  if (Object.keys(problems).length > 0) return { problems };
  const email = fields.find(({ type, id }) => type === "email" && answers[id] !== undefined);
  // The same form sent twice by hand is a duplicate, and answered as the first.
  if (isKnown && email && !isDuplicate) return { problems: { [email.id]: { word: "known" } } };
  return judgeSigns({
    turnstile: turnstile.asked,
    isDuplicate,
    hasBlockedWord: hasBlockedWord(answers, spam.block_words),
    hasManyLinks: hasManyLinks(answers),
  });
}

async function rowOf(
  { workspaceId }: Context,
  { pageId, blockId, settings, visit, country }: Sent,
  answers: Answers,
  { status, reasons }: Verdict,
  { digest, onlyEmail, time }: { digest: string; onlyEmail: string | null; time: number },
): Promise<SubmissionRow> {
  const { contact, retention_days: retentionDays } = settings;
  const contactRule: ContactRule | null = contact?.create
    ? { map: contact.map ?? {}, tags: contact.tags ?? [] }
    : null;
  return {
    id: newId(),
    workspaceId,
    ...{ pageId, blockId, pageVersion: visit.version },
    status,
    spamReasons: reasons,
    answers,
    fields: settings.fields.map(({ id, type, label, required }) => ({ id, type, label, required })),
    consents: await consentsIn(settings, answers, time),
    ...{ contactId: null, contactRule, country },
    referrerHost: visit.referrer || null,
    utm: utmOf(visit.utm),
    ...{ isRead: false, isStarred: false, isTold: status === "accepted" },
    ...{ nonce: visit.nonce, digest, onlyEmail },
    emails: emailsIn(settings, answers, contactRule),
    retentionDays,
    dueAt: dueAt({ status, retentionDays, createdAt: time }),
    revision: newRevision(),
    createdAt: time,
  };
}

type Written = "written" | "stands" | "overtaken";

async function write(
  ctx: Context,
  { settings }: Sent,
  row: SubmissionRow,
  hasContacts: boolean,
  time: number,
): Promise<Written> {
  const { status, contactRule, answers } = row;
  const contact =
    status === "accepted" && contactRule && hasContacts
      ? await prepareContact(ctx, newId(), contactOf(contactRule, answers))
      : undefined;
  const told = { ...row, contactId: contact?.id ?? null };
  const event =
    status === "accepted" ? receivedEvent(told) : status === "held" ? heldEvent(told) : undefined;
  const since = time - DUPLICATE_MILLISECONDS;
  const made = { row: told, event, contact, since, limit: settings.limit };
  try {
    const { wanted, isLast } = await insertSubmission(ctx.db, made);
    ctx.waitUntil(announceEvents(ctx, wanted));
    if (isLast) ctx.waitUntil(redrawSoon(ctx));
    return "written";
  } catch (error) {
    if (isUniqueConflictOf(error, "submissions.block_id, submissions.nonce")) return "stands";
    const isOvertaken =
      isMissing(error, "submissions.id") ||
      isReferenceConflict(error) ||
      isUniqueConflictOf(error, "submissions.block_id, submissions.only_email");
    if (isOvertaken) return "overtaken";
    throw error;
  }
}

async function consentsIn(
  { fields }: FormSettings,
  answers: Answers,
  time: number,
): Promise<SubmittedConsent[]> {
  const given = fields.filter(({ id, type }) => type === "consent" && answers[id] === true);
  return Promise.all(
    given.map(async ({ id, label }) => ({
      field: id,
      text: label,
      hash: await sha256Hex(label),
      given_at: toTimestamp(time),
    })),
  );
}

function firstEmail({ fields }: FormSettings, answers: Answers): string | null {
  const [first] = fields.flatMap(({ id, type }) =>
    type === "email" ? addressIn(answers[id]) : [],
  );
  return first ?? null;
}

/**
 * Every address that the submission is found by when somebody wants to be forgotten: also where it
 * is all that was written into another field. At most one of each of a form's fields, which are few.
 */
function emailsIn(
  { fields }: FormSettings,
  answers: Answers,
  contactRule: ContactRule | null,
): string[] {
  const mapped = contactRule?.map.email;
  const found = fields.flatMap((field) => {
    const answer = answers[field.id];
    const isAsked = field.type === "email" || field.id === mapped;
    return isAsked || !isWrittenByMaker(field, answer) ? addressIn(answer) : [];
  });
  return [...new Set(found)];
}

/** Whoever owns an address that stands in a form has sent nothing of what others send with it. */
function isWrittenByMaker({ options = [], value }: FormField, answer: unknown): boolean {
  return [...options, value?.trim()].some((text) => text === answer);
}

function addressIn(answer: Answers[string] | undefined): string[] {
  return typeof answer === "string" && isEmail(answer) ? [answer.toLowerCase()] : [];
}

function utmOf(said: string): SubmissionRow["utm"] {
  const [source, medium, campaign] = said.split("\n");
  return { ...(source && { source }), ...(medium && { medium }), ...(campaign && { campaign }) };
}
