/** Rows of what was measured, of which some are judged. */
export class Table {
  #isMet = true;
  readonly #rows: string[][] = [];

  /** `most` and `least`: what is aimed at. */
  add(
    what: string,
    value: number | string,
    { digits = 0, most, least }: { digits?: number; most?: number; least?: number } = {},
  ): void {
    const told = typeof value === "string" ? value : value.toFixed(digits);
    const isJudged = most !== undefined || least !== undefined;
    const isMet = Number(value) <= (most ?? Infinity) && Number(value) >= (least ?? -Infinity);
    const target = most === undefined ? `≥ ${least}` : `≤ ${most}`;
    if (isJudged && !isMet) this.#isMet = false;
    this.#rows.push([
      what,
      told,
      isJudged ? target : "",
      isJudged ? (isMet ? "met" : "MISSED") : "",
    ]);
  }

  /** Prints all rows; whether all that is aimed at was met. */
  print(): boolean {
    console.log("| What | measured | target | |\n| - | - | - | - |");
    for (const row of this.#rows) console.log(`| ${row.join(" | ")} |`);
    return this.#isMet;
  }
}
