import { Agent, request } from "node:http";
import type { ListedLink } from "./runtime-client.ts";

/** A visit that was sent, to a link of a workspace. */
export interface SentVisit {
  link: string;
  workspace: number;
  round: number;
  /** When its answer was here, in milliseconds; undefined when it was cut off. */
  answeredAt: number | undefined;
}

const WALKERS = 24;
const HOST = "localhost:8787";
/** Visitors: an address has one of the agents, one language and one referrer. */
const VISITORS = 600;
const CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0";
const AGENTS = [
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`,
  "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0",
  `Mozilla/5.0 (Linux; Android 15; Pixel 9) ${CHROME} Mobile Safari/537.36`,
  "Googlebot/2.1 (+http://www.google.com/bot.html)",
];
const LANGUAGES = ["de-CH,de;q=0.9", "en-GB", "fr", "pt-BR"];
const REFERRERS = ["https://news.example/story", "https://mail.example/", ""];

/** Visits of many people, one after the other at a steady pace, to links of several workspaces. */
export async function visitAtPace(
  port: number,
  { links, visits, seconds, round }: Paced,
  isOver: () => boolean = () => false,
): Promise<SentVisit[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: WALKERS });
  const startedAt = Date.now();
  const sent: SentVisit[] = [];
  let next = 0;
  const walk = async () => {
    while (next < visits && !isOver()) {
      const at = next++;
      const wait = startedAt + (at * seconds * 1000) / visits - Date.now();
      if (wait > 0) await new Promise((resume) => setTimeout(resume, wait));
      if (isOver()) return;
      const workspace = at % links.length;
      const ofWorkspace = links[workspace] as ListedLink[];
      const { id, slug } = ofWorkspace[
        Math.floor(Math.random() * ofWorkspace.length)
      ] as ListedLink;
      const visit: SentVisit = { link: id, workspace, round, answeredAt: undefined };
      sent.push(visit);
      const isAnswered = await follow(agent, port, `/${slug}?utm_campaign=round-${round}`);
      if (isAnswered) visit.answeredAt = Date.now();
    }
  };
  await Promise.all(Array.from({ length: WALKERS }, walk));
  agent.destroy();
  return sent;
}

interface Paced {
  /** By workspace. */
  links: ListedLink[][];
  visits: number;
  seconds: number;
  round: number;
}

/** Whether it was answered, as it should be. @throws when it was answered otherwise */
function follow(agent: Agent, port: number, path: string): Promise<boolean> {
  const visitor = Math.floor(Math.random() * VISITORS);
  const referrer = REFERRERS[visitor % REFERRERS.length];
  const headers = {
    Host: HOST,
    "CF-Connecting-IP": `10.20.${visitor >> 8}.${visitor & 255}`,
    "User-Agent": AGENTS[visitor % AGENTS.length],
    "Accept-Language": LANGUAGES[(visitor >> 2) % LANGUAGES.length],
    ...(referrer && { Referer: referrer }),
  };
  return new Promise((resolve, reject) => {
    const options = { agent, host: "127.0.0.1", port, path, headers };
    const asked = request(options, (answer) => {
      answer.resume();
      answer.on("error", () => resolve(false));
      answer.on("end", () => {
        if (answer.statusCode === 302) resolve(true);
        else reject(new Error(`A visit was answered with ${answer.statusCode}.`));
      });
    });
    // What a kill cuts off.
    asked.on("error", () => resolve(false));
    asked.end();
  });
}
