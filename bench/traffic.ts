const PLATFORMS = [
  "Windows NT 10.0; Win64; x64",
  "Macintosh; Intel Mac OS X 10_15_7",
  "X11; Linux x86_64",
  "Linux; Android 10; K",
  "Linux; Android 14; Pixel 8",
  "Linux; Android 13; SM-S911B",
];
const CHROMES = ["138.0.0.0", "140.0.0.0", "141.0.7390.54", "142.0.0.0"];
const IPHONES = ["17_6", "18_5", "18_6_2", "26_0"];
const CRAWLERS = [
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
  "WhatsApp/2.23.20.0 A",
  "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
];

/** Three dozen browsers and link previews. */
export const USER_AGENTS = [
  ...PLATFORMS.flatMap((platform) =>
    CHROMES.map(
      (version) =>
        `Mozilla/5.0 (${platform}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version} Safari/537.36`,
    ),
  ),
  ...IPHONES.flatMap((version) => [
    `Mozilla/5.0 (iPhone; CPU iPhone OS ${version} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version.replaceAll("_", ".")} Mobile/15E148 Safari/604.1`,
    `Mozilla/5.0 (iPhone; CPU iPhone OS ${version} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22F76 Instagram 398.0.0.23.77`,
  ]),
  ...CRAWLERS,
];

/** Most visits come from an app and name no page; the rest from few places. */
const REFERRERS = [
  "",
  "",
  "",
  "",
  "https://www.google.com/",
  "https://l.instagram.com/",
  "https://t.co/",
  "https://www.linkedin.com/feed/",
  "https://news.example/articles/2026/11/short-links?ref=home",
  "android-app://com.google.android.gm/",
];

/** Addresses that visits come from, in any order. */
const VISITORS = 4096;

/** Visits of `links` links, the n-th most popular one 1/n as often as the first (Zipf, s = 1). */
export function visits(
  count: number,
  links: number,
  slugOf: (link: number) => string,
  host = "localhost",
): string[] {
  const random = seededRandom(1);
  const cumulative = new Float64Array(links);
  let sum = 0;
  for (let rank = 0; rank < links; rank++) {
    sum += 1 / (rank + 1);
    cumulative[rank] = sum;
  }
  return Array.from({ length: count }, () => {
    const slug = slugOf(firstAtLeast(cumulative, random() * sum));
    const userAgent = pick(USER_AGENTS, random());
    const referrer = pick(REFERRERS, random());
    return visit(host, slug, userAgent, referrer, addressOf(Math.floor(random() * VISITORS)));
  });
}

/** Each of `links` links once, in their order. */
export function eachOnce(
  links: number,
  slugOf: (link: number) => string,
  host = "localhost",
): string[] {
  const [userAgent = ""] = USER_AGENTS;
  return Array.from({ length: links }, (_, link) => visit(host, slugOf(link), userAgent, ""));
}

/** Slugs that no link has, asked for by so many addresses in turn. */
export function scan(slugs: number, addresses: number, host = "localhost"): string[] {
  const random = seededRandom(2 + addresses);
  const [userAgent = ""] = USER_AGENTS;
  return Array.from({ length: slugs }, (_, at) => {
    const slug = `x${Math.floor(random() * 2 ** 32).toString(36)}${at.toString(36)}`;
    return visit(host, slug, userAgent, "", addressOf(at % addresses));
  });
}

function addressOf(client: number): string {
  return `10.7.${client >> 8}.${client & 255}`;
}

function visit(
  host: string,
  slug: string,
  userAgent: string,
  referrer: string,
  address = "10.6.0.1",
): string {
  const lines = [
    `GET /${slug} HTTP/1.1`,
    `Host: ${host}`,
    `User-Agent: ${userAgent}`,
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language: en-GB,en;q=0.9",
    "Accept-Encoding: gzip, br",
    `CF-Connecting-IP: ${address}`,
    ...(referrer ? [`Referer: ${referrer}`] : []),
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function pick<T>(from: T[], at: number): T {
  return from[Math.floor(at * from.length)] as T;
}

function firstAtLeast(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The same traffic on every run (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
