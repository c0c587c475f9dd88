import Bowser from "bowser";
import { isbot } from "isbot";

const DEVICES = new Set(["desktop", "mobile", "tablet", "tv"]);

/** Whether a visitor is a program: a crawler, a link preview, a monitor, or nameless. */
export function isCrawler(userAgent: string): boolean {
  return userAgent === "" || isbot(userAgent);
}

/** `desktop`, `mobile`, `tablet`, `tv`, or empty when the user agent does not tell. */
export function deviceOf(userAgent: string): string {
  if (userAgent === "") return "";
  const type = Bowser.parse(userAgent).platform.type ?? "";
  return DEVICES.has(type) ? type : "";
}
