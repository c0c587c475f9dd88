import { exampleId } from "../../src/api/ids.ts";
import type { ExampleOperation } from "./examples.ts";
import { newPng } from "./files.ts";
import { createForm, EMAIL, fillIn, submissionsOf } from "./forms.ts";
import { type Answer, operate, send } from "./http.ts";
import { issueKey, newIdempotencyKey, sendAs, type Workspace } from "./workspace.ts";

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** So that no key meets its limit of sixty requests a minute. */
const REQUESTS_A_KEY = 50;
/** What takes a record away that others name. */
const TAKES_AWAY = /^(?:delete|remove|revoke|erase|bulkDelete|unsubscribe)/;
/** What is read of afterwards, by its id. */
const READ_AFTERWARDS = ["eraseContact", "deleteWorkspace"];
/** What a visitor makes, and no operation. */
const VISITORS = ["submission", "report"] as const;

/**
 * Sends every example to the Worker: an id that an example gives is replaced by the id of the record
 * that was made of the example before. What takes something away comes last; what it took away is
 * made once more where another operation needs it.
 */
export class ExampleStory {
  readonly faults: string[] = [];
  readonly #waiting: ExampleOperation[];
  /** What makes a record, by the id that it has in examples. */
  readonly #creators: Map<string, ExampleOperation>;
  /** The real id by that of the examples. */
  readonly #ids = new Map<string, string>();
  #key = "";
  #requests = 0;

  constructor(operations: ExampleOperation[]) {
    // What is described later names what is described earlier: it goes first when all is taken away.
    const [takesAway, others] = [true, false].map((is) =>
      operations.filter(({ operationId }) => TAKES_AWAY.test(operationId) === is),
    );
    this.#waiting = [...(others ?? []), ...(takesAway ?? []).reverse()].sort(
      (a, b) => lateness(a) - lateness(b),
    );
    this.#creators = new Map(
      operations.flatMap((creator) => {
        const example = creator.successes[0]?.example as { data?: { id?: string } } | undefined;
        const id = example?.data?.id;
        const isMaking =
          creator.method === "POST" && !Object.values(creator.params).includes(`${id}`);
        return id && isMaking ? [[id, creator] as const] : [];
      }),
    );
  }

  /** The operations that could not be sent. */
  get untold(): string[] {
    return this.#waiting.map(({ operationId }) => operationId);
  }

  async tell(): Promise<void> {
    for (;;) {
      const [first] = this.#waiting;
      const stage = this.#waiting.filter((one) => first && lateness(one) === lateness(first));
      const next = stage.find((one) => this.#missing(one).length === 0);
      if (next) {
        this.#waiting.splice(this.#waiting.indexOf(next), 1);
        await this.#send(next);
      } else if (!(await this.#makeWhatIsMissing(stage))) return;
    }
  }

  /** The ids of examples that stand for no record yet, or for none any more. */
  #missing({ params, body }: ExampleOperation): string[] {
    const named = `${Object.values(params)} ${JSON.stringify(body?.example ?? "")}`.match(UUID);
    return [...new Set(named ?? [])].filter((id) => !this.#ids.has(id));
  }

  /** Whether something could be made that was taken away, or that a visitor makes. */
  async #makeWhatIsMissing(stage: ExampleOperation[]): Promise<boolean> {
    for (const id of stage.flatMap((one) => this.#missing(one))) {
      await this.#make(id);
      if (this.#ids.has(id)) return true;
    }
    return false;
  }

  async #make(id: string): Promise<void> {
    const visitors = VISITORS.find((name) => exampleId(name) === id);
    if (visitors === "submission") await this.#submitForm();
    if (visitors === "report") await this.#report();
    const creator = this.#creators.get(id);
    if (!creator) return;
    for (const needed of this.#missing(creator)) await this.#make(needed);
    if (this.#missing(creator).length === 0) await this.#send(creator);
  }

  async #send(operation: ExampleOperation): Promise<void> {
    const { operationId, method, params, body, file } = operation;
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      this.real(params[name] ?? ""),
    );
    const sent = body && JSON.parse(this.real(JSON.stringify(body.example)));
    const answer = await this.#request(operation, path, sent ?? contentOf(file));
    const success = operation.successes.find(({ status }) => status === String(answer.status));
    if (!operation.statuses.includes(String(answer.status))) {
      this.faults.push(`${operationId}: ${answer.status} ${answer.text}\n${JSON.stringify(sent)}`);
      return;
    }
    if (method === "POST" || method === "PUT") this.#learn(success?.example, answer.body);
    if (operationId === "issueKey") this.#key = answer.body.key;
    for (const id of takenBy(operation)) this.#ids.delete(id);
  }

  async #request(
    { method, path: template, headers: taken, file }: ExampleOperation,
    path: string,
    body?: object | string,
  ): Promise<Answer> {
    if (template.startsWith("/admin/v1")) {
      return operate(method, path.slice("/admin/v1".length), body as object);
    }
    if (++this.#requests % REQUESTS_A_KEY === 0) {
      this.#key = (await issueKey(this.real(exampleId("workspace")))).key;
    }
    const headers: Record<string, string> = {};
    if (taken.includes("Idempotency-Key")) headers["Idempotency-Key"] = newIdempotencyKey();
    if (taken.includes("If-Match")) headers["If-Match"] = "*";
    if (file) headers["Content-Type"] = file.mediaType;
    return sendAs(this.#key, method, path, { headers, ...(body !== undefined && { body }) });
  }

  /** Notes which real id stands where an example has its own. */
  #learn(example: unknown, real: unknown): void {
    if (typeof example === "string" && typeof real === "string") {
      if (example.match(UUID)?.[0] === example) this.#ids.set(example, real);
    } else if (typeof example === "object" && example !== null && typeof real === "object") {
      for (const [name, inner] of Object.entries(example)) {
        this.#learn(inner, (real as Record<string, unknown> | null)?.[name]);
      }
    }
  }

  /** A text of examples, with the ids of the records that were made. */
  real(text: string): string {
    return text.replaceAll(UUID, (id) => this.#ids.get(id) ?? id);
  }

  /** As a visitor of a page with a form does. */
  async #submitForm(): Promise<void> {
    const send: Workspace["send"] = (method, path, more) => sendAs(this.#key, method, path, more);
    const form = await createForm({ send } as Workspace, { fields: [EMAIL] });
    await fillIn(form, { email: "ada@example.com" });
    const [submission] = await submissionsOf(form);
    this.#ids.set(exampleId("submission"), submission.id);
  }

  /** As a visitor does who finds fault with where a link leads. */
  async #report(): Promise<void> {
    const link = `/api/v1/biolinks/links/${this.real(exampleId("link"))}`;
    const { public_url } = (await sendAs(this.#key, "GET", link)).body.data;
    await send("/_report", {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ at: new URL(public_url).pathname, reason: "spam" }).toString(),
    });
    const [report] = (await operate("GET", "/reports")).body.data;
    this.#ids.set(exampleId("report"), report.id);
  }
}

function contentOf(file: ExampleOperation["file"]): Uint8Array | string | undefined {
  return file && (file.content ?? newPng());
}

/** The ids of examples whose records are gone after an operation. */
function takenBy({ operationId, path, params, body }: ExampleOperation): string[] {
  // Erased are all submissions of a person, and getErasure is the last that a contact is named in.
  if (operationId === "getErasure") return [exampleId("contact"), exampleId("submission")];
  if (operationId === "getWorkspaceDeletion") return [exampleId("workspace")];
  if (operationId === "eraseSubmissions") return [exampleId("submission")];
  if (!TAKES_AWAY.test(operationId) || READ_AFTERWARDS.includes(operationId)) return [];
  const last = params[path.match(/\{(\w+)\}$/)?.[1] ?? ""];
  return [...(last ? [last] : []), ...(JSON.stringify(body?.example ?? "").match(UUID) ?? [])];
}

/** First the operator makes a workspace; last goes what others stand upon. */
function lateness({ operationId, path, method }: ExampleOperation): number {
  if (["createWorkspace", "addMember", "issueKey"].includes(operationId)) return 0;
  if (operationId === "getErasure") return 2.75;
  if (operationId === "deleteWorkspace") return 8;
  if (operationId === "getWorkspaceDeletion") return 9;
  if (!TAKES_AWAY.test(operationId)) return path.startsWith("/admin/") ? 2 : 1;
  if (path.startsWith("/admin/")) return operationId === "revokeKey" ? 6 : 7;
  // What is inside of something goes before that.
  return 5 - path.split("{").length + (method === "POST" ? -0.5 : 0);
}
