/** Where visitors of any host report what they found there. */
export const REPORT_SLUG = "_report";
export const REPORT_PATH = `/${REPORT_SLUG}`;

/** The address of the form about what stands at a path. */
export function reportPath(path: string): string {
  return `${REPORT_PATH}?at=${encodeURIComponent(path)}`;
}
