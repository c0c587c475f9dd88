/** A text as options are compared: browsers send each end of a line as CR LF, however it was written. */
export function asCompared(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}
