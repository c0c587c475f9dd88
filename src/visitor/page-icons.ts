import { html, raw } from "hono/html";

/** One drawing a page, so that it is known at a glance. Lines on a 24 by 24 grid. */
const DRAWINGS = {
  signpost: '<path d="M12 3v18M6 6h10l3 2.5-3 2.5H6z"/>',
  off: '<circle cx="12" cy="12" r="8"/><path d="m6.4 6.4 11.2 11.2"/>',
  lock: '<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>',
  eye: '<path d="M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6z"/><circle cx="12" cy="12" r="2.5"/>',
  arrow: '<path d="M5 12h14m-6-6 6 6-6 6"/>',
  clock: '<circle cx="12" cy="12" r="8"/><path d="M12 8v4.5l2.5 1.5"/>',
  flag: '<path d="M6 21V4m0 1h11l-2.5 4L17 13H6"/>',
  fault: '<path d="M12 4 3 20h18zm0 6.5V14m0 2.5v.5"/>',
};

export type Icon = keyof typeof DRAWINGS;

export function drawIcon(icon: Icon): ReturnType<typeof html> {
  return html`<svg viewBox="0 0 24 24" aria-hidden="true">${raw(DRAWINGS[icon])}</svg>`;
}
