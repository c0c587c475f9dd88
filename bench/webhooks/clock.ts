/** Milliseconds of a clock that all processes of the machine share. */
export function machineNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
