import { type Html, trusted } from "./html.ts";
import { PLATFORMS, type Platform } from "./platforms.ts";

/** Lines on a 24 by 24 grid. */
const DRAWINGS = {
  arrow: '<path d="M7 17 17 7M8.5 7H17v8.5"/>',
  bag: '<path d="M5.5 8h13l1 12h-15zM9 10.5V7a3 3 0 0 1 6 0v3.5"/>',
  book: '<path d="M12 6.5C10 5 7 4.5 4 4.5v13.5c3 0 6 .5 8 2 2-1.5 5-2 8-2V4.5c-3 0-6 .5-8 2zV20"/>',
  calendar:
    '<rect x="4" y="5.5" width="16" height="14.5" rx="2.5"/><path d="M4 10h16M8.5 3.5v4m7-4v4"/>',
  camera:
    '<path d="M4 8.5a2 2 0 0 1 2-2h2l1.5-2.5h5L16 6.5h2a2 2 0 0 1 2 2V17a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2z"/><circle cx="12" cy="12.75" r="3.25"/>',
  chat: '<path d="M5 5h14a1.5 1.5 0 0 1 1.5 1.5v8A1.5 1.5 0 0 1 19 16h-6.5L8 20v-4H5a1.5 1.5 0 0 1-1.5-1.5v-8A1.5 1.5 0 0 1 5 5z"/>',
  check: '<path d="m5 12.5 4.5 4.5L19 7.5"/>',
  chevron: '<path d="m6 9.5 6 6 6-6"/>',
  clock: '<circle cx="12" cy="12" r="8"/><path d="M12 7.5V12l3 2"/>',
  coffee:
    '<path d="M5 9h11v6a4 4 0 0 1-4 4H9a4 4 0 0 1-4-4zm11 1.5h1.5a2.5 2.5 0 0 1 0 5H16M8.5 3.5v2.5m4-2.5v2.5"/>',
  download: '<path d="M12 4v11m-4.5-4.5L12 15l4.5-4.5M5 19.5h14"/>',
  file: '<path d="M7 3.5h7l4.5 4.5v11a1.5 1.5 0 0 1-1.5 1.5H7A1.5 1.5 0 0 1 5.5 19V5A1.5 1.5 0 0 1 7 3.5zM13.5 4v4.5H18"/>',
  gift: '<path d="M4.5 8.5h15v4h-15zM6 12.5h12v7.5H6zM12 8.5V20m0-11.5C9 8.5 7.5 7 8 5.5s3-1.5 4 3c1-4.5 3.5-4.5 4-3s-1 3-4 3z"/>',
  globe:
    '<circle cx="12" cy="12" r="8.25"/><path d="M3.75 12h16.5M12 3.75c5 5 5 11.5 0 16.5-5-5-5-11.5 0-16.5z"/>',
  heart: '<path d="M12 19.5S4 15 4 9.5a4 4 0 0 1 8-1.5 4 4 0 0 1 8 1.5c0 5.5-8 10-8 10z"/>',
  home: '<path d="m4 11 8-7 8 7v8.5h-5.5V14h-5v5.5H4z"/>',
  mail: '<rect x="3.5" y="5.5" width="17" height="13" rx="2.5"/><path d="m4.5 7.5 7.5 6 7.5-6"/>',
  map: '<path d="M12 20.5S5.5 15 5.5 10a6.5 6.5 0 0 1 13 0c0 5-6.5 10.5-6.5 10.5z"/><circle cx="12" cy="10" r="2.25"/>',
  music:
    '<path d="M9 17.5V6l10-2v11.5"/><circle cx="6.5" cy="17.5" r="2.5"/><circle cx="16.5" cy="15.5" r="2.5"/>',
  person: '<circle cx="12" cy="8" r="3.75"/><path d="M4.5 20c.5-4 3.5-6 7.5-6s7 2 7.5 6"/>',
  phone:
    '<path d="M7.5 4 9.5 8.5 7.5 10c1 3 3.5 5.5 6.5 6.5l1.5-2 4.5 2-.5 3C12 20.5 3.5 12 4.5 4.5z"/>',
  play: '<path class="solid" d="M8.5 5.5v13l10.5-6.5z"/>',
  rss: '<path d="M5 5a14 14 0 0 1 14 14M5 11a8 8 0 0 1 8 8"/><circle class="solid" cx="6.5" cy="17.5" r="1.75"/>',
  star: '<path d="m12 4 2.4 5.1 5.6.7-4.1 3.8 1.1 5.5-5-2.8-5 2.8 1.1-5.5L4 9.8l5.6-.7z"/>',
  ticket:
    '<path d="M4 7h16v3.25a1.75 1.75 0 0 0 0 3.5V17H4v-3.25a1.75 1.75 0 0 0 0-3.5zm10 0v10"/>',
  video: '<rect x="3.5" y="6.5" width="12" height="11" rx="2.5"/><path d="m15.5 11 5-3v8l-5-3"/>',
} as const;

type Drawing = keyof typeof DRAWINGS;
export type IconName = Drawing | Platform;

export const ICON_NAMES = [
  ...Object.keys(DRAWINGS),
  ...Object.keys(PLATFORMS),
] as unknown as readonly [IconName, ...IconName[]];

/** A picture beside words that say the same: nothing for screen readers. */
export function icon(name: IconName): Html {
  if (!isDrawing(name)) {
    const { path } = PLATFORMS[name];
    return trusted(
      `<svg class="ico solid" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`,
    );
  }
  return trusted(`<svg class="ico" viewBox="0 0 24 24" aria-hidden="true">${DRAWINGS[name]}</svg>`);
}

function isDrawing(name: IconName): name is Drawing {
  return name in DRAWINGS;
}
