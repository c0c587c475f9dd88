import { clearAnswer, showAnswer, showOutcome, showWayOut } from "./answer-view.ts";
import { idsIn, lists } from "./body.ts";
import { callOf, send } from "./call.ts";
import { offerCopies } from "./copy-sample.ts";
import { askForCredential, credential, keepCredential, startCredentials } from "./credentials.ts";
import {
  filledPath,
  isOrder,
  isTouched,
  missingKinds,
  prefill,
  prefillBody,
  prefillMatch,
  prefillOrder,
  recordFields,
  watchFields,
} from "./fields.ts";
import { forgetId, kindOf, nameIn, rememberAnswer, rememberId } from "./memory.ts";
import { startNavigation, startTheme } from "./navigation.ts";

const forms = [...document.querySelectorAll<HTMLFormElement>("form.try")];

/** The records of a list that paths can name; none if it cannot be asked. */
async function namesIn(list: string, query = ""): Promise<string[]> {
  const headers = { Authorization: `Bearer ${credential()}` };
  const url = list + query;
  const { status, body } = await send({ method: "GET", path: list, url, headers });
  if (status !== 200) return [];
  return (body as { data: unknown[] }).data.flatMap((record) => nameIn(record, list) ?? []);
}

/** The newest record of a list, which is asked for once somebody sends what needs one. */
async function newestOf(list: string): Promise<string | undefined> {
  const [newest] = await namesIn(list, "?limit=1");
  if (newest) rememberId(list, newest);
  return newest;
}

/** Fills in the ids that nothing told yet; false if there is no such record. */
async function findRecords(form: HTMLFormElement): Promise<boolean> {
  for (const field of recordFields(form)) {
    if (field.value.trim()) continue;
    const collection = filledPath(form, field.dataset.collection ?? "");
    const list = field.dataset.listed === undefined ? lists[kindOf(collection)] : collection;
    const id = list && (await newestOf(list));
    if (!id) {
      showWayOut(form, `There is no ${field.name.replaceAll("_", " ")} yet.`, field.dataset.create);
      field.focus();
      return false;
    }
    field.value = id;
  }
  prefillMatch(form);
  const kinds = missingKinds(form).flatMap((kind) => lists[kind] ?? []);
  for (const list of kinds) await newestOf(list);
  if (kinds.length > 0) prefillBody(form);
  if (isOrder(form)) prefillOrder(form, await orderedNames(form));
  return true;
}

/** All of the collection whose order the form changes: of `block-order` the `blocks`. */
function orderedNames(form: HTMLFormElement): Promise<string[]> {
  const path = filledPath(form, form.dataset.path ?? "");
  return namesIn(path.replace(/(\w+)-order$/, "$1s"), "?limit=100");
}

async function run(form: HTMLFormElement): Promise<void> {
  if (!credential()) return askForCredential();
  keepCredential();
  clearAnswer(form);
  showOutcome(form, "Sending…");
  if (!(await findRecords(form))) return;
  const call = callOf(form);
  const answer = await send(call);
  rememberAnswer(call.method, call.path, answer, idsIn(call.body));
  if (answer.status === 404) forgetGone(form);
  await showAnswer(form, call, answer);
  for (const each of forms) prefill(each);
}

/** What is not there any more is not offered again. */
function forgetGone(form: HTMLFormElement): void {
  const last = recordFields(form).at(-1);
  if (last && !isTouched(last)) forgetId(last.value);
}

startTheme();
startNavigation();
startCredentials();
offerCopies();
for (const form of forms) {
  watchFields(form);
  prefill(form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.ariaBusy === "true") return;
    form.ariaBusy = "true";
    try {
      await run(form);
    } catch (fault) {
      showOutcome(form, `No answer came: ${fault instanceof Error ? fault.message : fault}`, "bad");
    } finally {
      form.ariaBusy = "false";
    }
  });
}
