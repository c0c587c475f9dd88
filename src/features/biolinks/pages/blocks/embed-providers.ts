import type { Platform } from "../markup/platforms.ts";

export interface Embed {
  provider: Extract<Platform, "youtube" | "vimeo" | "spotify" | "soundcloud" | "tiktok">;
  /** What the visitor is shown after asking for it. */
  frame: string;
  /** A picture to look at, or something to hear. */
  kind: "video" | "audio";
}

const ID = /^[\w-]{1,64}$/;

/** What a URL embeds, or undefined when it is none of the providers' pages. */
export function embedOf(address: string): Embed | undefined {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol) || url.port || url.username) return undefined;
  const host = url.hostname.replace(/^(?:www|m)\./, "");
  const path = url.pathname.split("/").filter(Boolean);
  switch (host) {
    case "youtube.com":
    case "music.youtube.com":
      return youtube(path[0] === "watch" ? url.searchParams.get("v") : youtubeId(path));
    case "youtu.be":
      return youtube(path[0]);
    case "vimeo.com":
      return vimeo(path);
    case "open.spotify.com":
      return spotify(path);
    case "soundcloud.com":
      return soundcloud(path);
    case "tiktok.com":
      return tiktok(path);
  }
}

function youtubeId([kind, id]: string[]): string | undefined {
  return kind && ["shorts", "live", "embed"].includes(kind) ? id : undefined;
}

function youtube(id: string | null | undefined): Embed | undefined {
  if (!id || !ID.test(id)) return undefined;
  const frame = `https://www.youtube-nocookie.com/embed/${id}?autoplay=1`;
  return { provider: "youtube", kind: "video", frame };
}

function vimeo(path: string[]): Embed | undefined {
  const [id, hash] = path;
  if (!id || !/^\d{1,20}$/.test(id)) return undefined;
  const secret = hash && /^[0-9a-f]{1,40}$/.test(hash) ? `h=${hash}&` : "";
  const frame = `https://player.vimeo.com/video/${id}?${secret}dnt=1&autoplay=1`;
  return { provider: "vimeo", kind: "video", frame };
}

function spotify(path: string[]): Embed | undefined {
  const [kind, id] = path[0]?.startsWith("intl-") ? path.slice(1) : path;
  const kinds = ["track", "album", "playlist", "artist", "episode", "show"];
  if (!kind || !kinds.includes(kind) || !id || !ID.test(id)) return undefined;
  return {
    provider: "spotify",
    kind: "audio",
    frame: `https://open.spotify.com/embed/${kind}/${id}`,
  };
}

function soundcloud(path: string[]): Embed | undefined {
  if (path.length < 1 || path.length > 3 || !path.every((part) => ID.test(part))) return undefined;
  const track = encodeURIComponent(`https://soundcloud.com/${path.join("/")}`);
  const frame = `https://w.soundcloud.com/player/?url=${track}&auto_play=true`;
  return { provider: "soundcloud", kind: "audio", frame };
}

function tiktok([user, kind, id]: string[]): Embed | undefined {
  if (!user?.startsWith("@") || kind !== "video" || !id || !/^\d{1,20}$/.test(id)) return undefined;
  return { provider: "tiktok", kind: "video", frame: `https://www.tiktok.com/player/v1/${id}` };
}
