import { clearAnswer, showAnswer, showOutcome, showWayOut } from "./answer-view.ts";
import { callOf, send } from "./call.ts";
import { askForCredential, credential, keepCredential, startCredentials } from "./credentials.ts";
import {
  filledPath,
  isTouched,
  missingKinds,
  prefill,
  prefillBody,
  prefillMatch,
  recordFields,
  watchFields,
} from "./fields.ts";
import { forgetId, kindOf, nameIn, rememberAnswer, rememberId } from "./memory.ts";
import { startNavigation, startTheme } from "./navigation.ts";

const forms = [...document.querySelectorAll<HTMLFormElement>("form.try")];
const lists: Record<string, string> = JSON.parse(document.body.dataset.lists ?? "{}");

/** The newest record of a list, which is asked for once somebody sends what needs one. */
async function newestOf(list: string): Promise<string | undefined> {
  const headers = { Authorization: `Bearer ${credential()}` };
  const { status, body } = await send({
    method: "GET",
    path: list,
    url: `${list}?limit=1`,
    headers,
  });
  if (status !== 200) return undefined;
  const id = nameIn((body as { data: unknown[] }).data[0], list);
  if (id) rememberId(list, id);
  return id;
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
  return true;
}

async function run(form: HTMLFormElement): Promise<void> {
  if (!credential()) return askForCredential();
  keepCredential();
  clearAnswer(form);
  showOutcome(form, "Sending…");
  if (!(await findRecords(form))) return;
  const call = callOf(form);
  const answer = await send(call);
  rememberAnswer(call.method, call.path, answer);
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
