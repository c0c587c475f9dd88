/** Why a step did not happen, and what its reader has to do before the next try. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly remedy: string;

  constructor(what: string, remedy: string) {
    super(what);
    this.remedy = remedy;
  }
}
