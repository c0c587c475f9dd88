const NOT_AT_ALL = /^q\s*=\s*0(?:\.0*)?$/;

// Wildcards name neither, so that a browser gets a page, and `application/json, */*` gets JSON.
/** Whether a visitor gets JSON: who names it, with any weight but 0, and does not name HTML so. */
export function takesJsonAlone(accept: string): boolean {
  if (!/json/i.test(accept)) return false;
  const ranges = accept
    .toLowerCase()
    .split(",")
    .map((range) => range.split(";").map((part) => part.trim()));
  const takes = (wanted: string) =>
    ranges.some(
      ([type, ...rest]) => type === wanted && !rest.some((part) => NOT_AT_ALL.test(part)),
    );
  return takes("application/json") && !takes("text/html");
}
