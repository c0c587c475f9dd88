/** Links for visitors, put into the database as they would be after years: all at once. */
import type { migrate } from "./contestant.ts";

type BenchDatabase = Awaited<ReturnType<typeof migrate>>;

export const DOMAIN_HOST = "go.brand.com";
const PARAMETER_BYTES = 1_500_000;

/** What of a link makes its size. */
export interface LinkContent {
  destination: string;
  utm: object;
  pixels: string[];
}

export interface LinkOrder {
  links: number;
  /** On the platform's host unless said. */
  onDomain?: boolean;
  slugOf(link: number): string;
  contentOf?(link: number): LinkContent;
}

/** A workspace with one domain, whose links and pixels can then be made. */
export class LinkStore {
  readonly #database: BenchDatabase;
  readonly #workspace = crypto.randomUUID();
  readonly #domain = crypto.randomUUID();

  private constructor(database: BenchDatabase) {
    this.#database = database;
  }

  static async create(database: BenchDatabase): Promise<LinkStore> {
    const store = new LinkStore(database);
    await database.batch([
      database
        .prepare(
          `INSERT INTO workspaces (id, name, plan, status, features, created_at, updated_at)
           VALUES (?, 'Bench', 'business', 'active', '[]', 0, 0)`,
        )
        .bind(store.#workspace),
      database
        .prepare(
          `INSERT INTO domains (id, workspace_id, host, verified, disabled, created_at, updated_at)
           VALUES (?, ?, ?, 1, 0, 0, 0)`,
        )
        .bind(store.#domain, store.#workspace, DOMAIN_HOST),
    ]);
    return store;
  }

  async addLinks({ links, onDomain, slugOf, contentOf = usualContent }: LinkOrder): Promise<void> {
    let rows: string[] = [];
    let bytes = 0;
    for (let link = 0; link < links; link++) {
      const { destination, utm, pixels } = contentOf(link);
      const place = onDomain ? this.#domain : null;
      const row = [crypto.randomUUID(), slugOf(link), place, destination, utm, pixels];
      const text = JSON.stringify(row);
      bytes += Buffer.byteLength(text);
      rows.push(text);
      if (bytes < PARAMETER_BYTES && link + 1 < links) continue;
      await this.#insertLinks(`[${rows.join(",")}]`);
      [rows, bytes] = [[], 0];
    }
  }

  /** Pixels of the longest tag that a provider has; their ids. */
  async addPixels(count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => crypto.randomUUID());
    await this.#database
      .prepare(
        `INSERT INTO pixels (id, workspace_id, name, provider, tag, created_at, updated_at)
         SELECT value, ?1, 'Bench', 'meta', printf('%020d', key), 0, 0 FROM json_each(?2)`,
      )
      .bind(this.#workspace, JSON.stringify(ids))
      .run();
    return ids;
  }

  async #insertLinks(rows: string): Promise<void> {
    await this.#database
      .prepare(
        `INSERT INTO links (id, workspace_id, domain_id, slug, slug_key, destination, status,
           disabled, http_status, forward_query, sensitive_content, utm, pixels, revision,
           created_at, updated_at)
         SELECT value ->> 0, ?1, value ->> 2, value ->> 1, lower(value ->> 1), value ->> 3,
           'active', 0, 302, 0, 0, value -> 4, value -> 5, 'r', 0, 0
         FROM json_each(?2)`,
      )
      .bind(this.#workspace, rows)
      .run();
  }
}

function usualContent(link: number): LinkContent {
  return {
    destination: `https://shop.example/campaigns/${link}?item=${link}`,
    utm: { source: "newsletter", medium: "email" },
    pixels: [],
  };
}
