/** What is counted of a host that is an IP address: one in the numbers might be a person's. */
export const ADDRESS = "(address)";

/**
 * IPv6 in brackets or without, and what ends in a number: the URL Standard takes such a host for an
 * IPv4 address, however it is written (`127.1`, `0x7f000001`).
 */
const ADDRESS_HOST = /^\[|:.*:|(?:^|\.)(?:\d+|0x[\da-f]*)\.?(?::\d*)?$/i;

/** A host (with its port, if it has one) as it may be counted. */
export function withoutAddress(host: string): string {
  return ADDRESS_HOST.test(host) ? ADDRESS : host;
}
