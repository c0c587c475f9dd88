import { get } from "node:http";

/** Sends prepared visits (whole requests as text) to ports by chance, evenly paced; all answered at its end. */
export async function visitEvenly(
  visits: string[],
  ports: number[],
  { count, pace }: { count: number; pace: number },
): Promise<void> {
  const answers: Promise<void>[] = [];
  let fault: unknown;
  const started = performance.now();
  for (let sent = 0; sent < count; sent++) {
    const due = started + (sent * 1000) / pace;
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    const port = ports[Math.floor(Math.random() * ports.length)] ?? 0;
    const answer = visit(port, visits[sent % visits.length] ?? "");
    answers.push(
      answer.catch((reason) => {
        fault ??= reason;
      }),
    );
    if (fault) throw fault;
  }
  await Promise.all(answers);
  if (fault) throw fault;
}

/** On a connection of its own: one that is kept may be closed just when it is used again. */
function visit(port: number, text: string): Promise<void> {
  const [first = "", ...lines] = text.trimEnd().split("\r\n");
  const [, path = "/"] = first.split(" ");
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(": ");
    return [line.slice(0, at), line.slice(at + 2)];
  });
  return new Promise((resolve, reject) => {
    const asked = {
      host: "127.0.0.1",
      port,
      path,
      agent: false,
      headers: Object.fromEntries(headers),
    };
    get(asked, (answer) => {
      answer.resume();
      if (answer.statusCode === 302) answer.on("end", resolve);
      else reject(new Error(`A visit was answered ${answer.statusCode}.`));
    }).on("error", reject);
  });
}
