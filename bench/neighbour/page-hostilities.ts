/** What the hostile workspace does with pages, files, forms and imports, as far as it is allowed to. */
import { randomBytes } from "node:crypto";
import { encode } from "fast-png";
import { newAddress } from "../contestant.ts";
import { made, send } from "./client.ts";

const BIOLINKS = "/api/v1/biolinks";
const PAGES = `${BIOLINKS}/pages`;
const IMPORT_ROWS = 2000;
const PICTURE_SIDE = 200;
const FORM = {
  submit_label: "Send",
  success: { message: "Thank you!" },
  fields: [{ id: "wish", type: "textarea", label: "Wish", max_length: 5000 }],
  spam: { min_seconds: 0, max_per_ip_hour: 1000 },
};

interface Listening {
  port: number;
}

/** A page of the hostile workspace with a form and as many blocks as are allowed. */
export interface HostilePage {
  id: string;
  path: string;
  form: string;
}

export async function makeHostilePage(at: Listening, key: string): Promise<HostilePage> {
  const text = { type: "text", settings: { text: "Spam and more of it. ".repeat(90) } };
  const blocks = [{ type: "form", settings: FORM }, ...Array(99).fill(text)];
  const input = { handle: `hostile-${randomBytes(4).toString("hex")}`, title: "Spam", blocks };
  const { data } = await made(at, "POST", PAGES, key, input);
  await made(at, "POST", `${PAGES}/${data.id}/publish`, key, {});
  return { id: data.id, path: `/@${data.handle}`, form: data.block_order[0] };
}

/** Bytes as they are, or a form, from an address of their own. */
function post(at: Listening, path: string, body: Uint8Array | URLSearchParams, key?: string) {
  return fetch(`http://127.0.0.1:${at.port}${path}`, {
    method: "POST",
    redirect: "manual",
    headers: {
      "CF-Connecting-IP": newAddress(),
      ...(key && { Authorization: `Bearer ${key}`, "Idempotency-Key": crypto.randomUUID() }),
      ...(body instanceof Uint8Array && { "Content-Type": "text/csv" }),
    },
    body: body as Uint8Array<ArrayBuffer> | URLSearchParams,
  });
}

/** A form as many people would send it at once: of each page view one token, sent once. */
async function sendForm(at: Listening, { path, form }: HostilePage): Promise<Response> {
  const html = await (await send(at, "GET", path, "")).text();
  const [, token = ""] = /name="_token" value="([^"]*)"/.exec(html) ?? [];
  const fields = { _token: token, wish: `${randomBytes(16).toString("hex")} ${"x".repeat(4000)}` };
  return post(at, `${path}/form/${form}`, new URLSearchParams(fields));
}

function picture(): Uint8Array {
  const data = randomBytes(4 * PICTURE_SIDE * PICTURE_SIDE);
  return encode({ width: PICTURE_SIDE, height: PICTURE_SIDE, channels: 4, depth: 8, data });
}

function feed(): Uint8Array {
  const rows = Array.from(
    { length: IMPORT_ROWS },
    (_, at) => `P-${at},Spam ${Math.random()},9 EUR`,
  );
  return Buffer.from(`id,title,price\n${rows.join("\n")}\n`);
}

/** As in `hostile.ts`: a name, how often a second, and what is done. */
export const pageHostilities = (
  at: Listening,
  key: () => string,
  page: HostilePage,
): [string, number, () => Promise<Response>][] => [
  ["form, from an address each", 10, () => sendForm(at, page)],
  ["file of 160 KB", 2, () => post(at, `${BIOLINKS}/files`, picture(), key())],
  [
    `import of ${IMPORT_ROWS} products`,
    1,
    () => post(at, `${BIOLINKS}/catalogue/imports`, feed(), key()),
  ],
  [
    "page of 100 blocks published",
    2,
    async () => {
      const title = crypto.randomUUID();
      const changed = await send(at, "PATCH", `${PAGES}/${page.id}`, key(), { title });
      if (!changed.ok) return changed;
      await changed.arrayBuffer();
      return send(at, "POST", `${PAGES}/${page.id}/publish`, key());
    },
  ],
  [
    "page of 100 blocks previewed",
    2,
    async () => {
      const answer = await send(at, "POST", `${PAGES}/${page.id}/preview`, key());
      if (!answer.ok) return answer;
      const { data } = (await answer.json()) as { data: { url: string } };
      return send(at, "GET", new URL(data.url).pathname, "");
    },
  ],
];
