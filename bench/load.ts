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
  expectedStatus: number;
  warmUpSeconds: number;
  seconds: number;
}

export interface LoadReport {
  kind: "report";
  /** Answers within the measured time. */
  measured: number;
  /** All answers, the warm-up's too: every request that was sent has its answer in here. */
  answered: number;
  seconds: number;
  /** Milliseconds. */
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
