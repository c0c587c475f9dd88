import type { Page } from "playwright-core";

/** What of a page decides whether everyone can use it. */
export interface PageAudit {
  lang: string;
  title: string;
  headings: number;
  mains: number;
  /** Fields that no label names. */
  unlabelled: string[];
  /** Buttons, links and fields too small for a thumb: under 44 pixels either way. */
  smallTargets: string[];
  /** How far the page reaches to the right, in pixels. */
  width: number;
  /** Contrast of each piece of text with what is behind it. */
  contrasts: { text: string; ratio: number }[];
  background: string;
}

/** Looks a page over in the browser, by computed styles and boxes. */
export async function auditPage(page: Page): Promise<PageAudit> {
  return page.evaluate(() => {
    const channels = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
    const isClear = (colour: string) => channels(colour)[3] === 0;
    const luminance = (colour: string) => {
      const [red = 0, green = 0, blue = 0] = channels(colour).map((channel) => {
        const share = channel / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const backgroundOf = (element: Element): string => {
      const own = getComputedStyle(element).backgroundColor;
      if (!isClear(own)) return own;
      return element.parentElement ? backgroundOf(element.parentElement) : "rgb(255, 255, 255)";
    };
    const contrast = (element: Element) => {
      const [ink, ground] = [getComputedStyle(element).color, backgroundOf(element)].map(luminance);
      const [dark = 0, light = 0] = [ink ?? 0, ground ?? 0].sort((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    };
    const holdsText = (element: Element) =>
      [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
    const describe = (element: Element) => element.outerHTML.slice(0, 80);
    const all = (selector: string) => [...document.querySelectorAll<HTMLElement>(selector)];
    return {
      lang: document.documentElement.lang,
      title: document.title,
      headings: all("h1").length,
      mains: all("main").length,
      unlabelled: all("input:not([type=hidden])")
        .filter((field) => !(field as HTMLInputElement).labels?.length)
        .map(describe),
      smallTargets: all("a, button, input:not([type=hidden])")
        .filter((target) => target.offsetWidth < 44 || target.offsetHeight < 44)
        .map(describe),
      width: document.documentElement.scrollWidth,
      contrasts: all("body *")
        .filter(holdsText)
        .map((element) => ({ text: element.textContent ?? "", ratio: contrast(element) })),
      background: getComputedStyle(document.body).backgroundColor,
    };
  });
}
