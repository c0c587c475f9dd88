export interface Page<Item> {
  data: Item[];
  /** Null on the last page. */
  next_cursor: string | null;
}

type ReadPage<P> = (cursor: string | undefined, isWalked: boolean) => Promise<P>;

/**
 * A list, read when it is used: `await` gives one page, `for await` every record, and `pages()`
 * every page. To walk it asks for pages as large as there are, unless `limit` says otherwise.
 */
export class List<Item, P extends Page<Item> = Page<Item>>
  implements PromiseLike<P>, AsyncIterable<Item>
{
  readonly #read: ReadPage<P>;

  constructor(read: ReadPage<P>) {
    this.#read = read;
  }

  // biome-ignore lint/suspicious/noThenProperty: so that a page can be awaited
  then<Done = P, Failed = never>(
    onDone?: ((page: P) => Done | PromiseLike<Done>) | null,
    onFailed?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    return this.#read(undefined, false).then(onDone, onFailed);
  }

  async *pages(): AsyncGenerator<P, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.#read(cursor, true);
      yield page;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }
}
