import { expect, it } from "vitest";
import { send } from "../../../support/http.ts";
import { blocksOf, createPublished } from "../../../support/pages.ts";
import { createWorkspace } from "../../../support/workspace.ts";

const CONTROLS = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code + 1)).join("");
const TEXT = `Bring${CONTROLS}\u007f\u0085\u009b\u2028\u2029a cup`;
const URL_TYPED = "https://bücher.example/Töpfe und Teller?größe=ä#Über";
const URL_WRITTEN =
  "https://xn--bcher-kva.example/T%C3%B6pfe%20und%20Teller?gr%C3%B6%C3%9Fe=%C3%A4#%C3%9Cber";

/** What a visitor saves of a page's only block, its folded lines put together. */
async function savedOf(block: object, extension: string): Promise<string> {
  const workspace = await createWorkspace();
  const page = await createPublished(workspace, { blocks: [block] });
  const [{ id }] = await blocksOf(workspace, page.id);
  const { status, text } = await send(`/@${page.handle}/${id}.${extension}`);
  expect(status).toBe(200);
  return text.replaceAll("\r\n ", "");
}

const EVENT = {
  type: "event",
  settings: {
    title: `Open${TEXT}`,
    description: TEXT,
    starts_at: "2027-05-14T17:00:00.000Z",
    location: { name: TEXT, address: TEXT },
    url: URL_TYPED,
  },
};
const CARD = {
  type: "contact_card",
  settings: {
    name: `Ada${TEXT}`,
    job_title: TEXT,
    organization: TEXT,
    website: URL_TYPED,
    address: { street: TEXT, city: TEXT },
    note: TEXT,
  },
};

it.each([
  ["ics", EVENT, "DESCRIPTION"],
  ["vcf", CARD, "NOTE"],
])(
  "a file that visitors save holds no control characters, and addresses as URIs: .%s",
  async (extension, block, name) => {
    const saved = await savedOf(block, extension);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there
    expect(saved.replaceAll("\r\n", "")).not.toMatch(/[\0-\x08\n-\x1f\x7f-\x9f\u2028\u2029]/);
    const lines = saved.split("\r\n");
    expect(lines).toContain(`${name}:Bring\t${"\\n".repeat(4)} \\n\\n\\na cup`);
    expect(lines).toContain(`URL:${URL_WRITTEN}`);
  },
);
