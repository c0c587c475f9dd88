import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { pin } from "./processor-time.ts";

const GENERATOR_PROCESSOR = 1;

/** Stands in a request where the generator writes a number that no other request has. */
export const SERIAL = "{serial....}";

export interface LoadOrder {
  kind: "run";
  port: number;
  traffic: string;
  /** Any of several, if a list. */
  expectedStatus: number | number[];
  warmUpSeconds: number;
  seconds: number;
  /** Ends the run, before its seconds do, when so many requests were sent. */
  requests?: number;
  /** Requests under way at once; 32 unless said. */
  connections?: number;
  /** Requests a second, sent on time however slow the answers are; unless said, as many as can be. */
  pace?: number;
}

export interface LoadReport {
  kind: "report";
  /** Answers within the measured time. */
  measured: number;
  /** All answers, the warm-up's too: every request that was sent has its answer in here. */
  answered: number;
  /** How many answers had each status. */
  statuses: Record<string, number>;
  seconds: number;
  /** Milliseconds, from when a request was to be sent. */
  p50: number;
  p99: number;
  /** How much of its processor the generator itself needed: near 1 it was the bottleneck. */
  busy: number;
  /** The first answer that had another status than expected. */
  unexpected?: string;
}

export type LoadMessage =
  | LoadReport
  | { kind: "measuring" }
  | { kind: "measured" }
  | { kind: "failed"; message: string };

/** The generator's process, started once for all rounds. */
export class Load {
  readonly #generator: ChildProcess = fork(join(import.meta.dirname, "load-generator.ts"));

  constructor() {
    // Else its report would be waited for without end.
    this.#generator.on("exit", (code) => {
      if (code) throw new Error("The generator of load has ended.");
    });
    if (this.#generator.pid) pin(this.#generator.pid, GENERATOR_PROCESSOR);
  }

  /** Whole HTTP/1.1 requests as text; they are sent in this order, over and over. */
  prepare(traffic: string, requests: string[]): void {
    this.#generator.send({ kind: "prepare", traffic, requests });
  }

  /** @throws when an answer has another status than expected. */
  run(
    order: Omit<LoadOrder, "kind">,
    on: { measuring(): void; measured(): void },
  ): Promise<LoadReport> {
    return new Promise((resolve, reject) => {
      const hear = (message: LoadMessage) => {
        if (message.kind === "measuring") return on.measuring();
        if (message.kind === "measured") return on.measured();
        this.#generator.off("message", hear);
        if (message.kind === "failed") reject(new Error(message.message));
        else if (message.unexpected) reject(new Error(`Unexpected answer:\n${message.unexpected}`));
        else resolve(message);
      };
      this.#generator.on("message", hear);
      this.#generator.send({ kind: "run", ...order });
    });
  }

  stop(): void {
    this.#generator.kill();
  }
}
