export { SignpostError } from "./errors.ts";
export * from "./generated/operator.ts";
export type * from "./generated/types.ts";
export type { List, Page } from "./list.ts";
export type { ClientOptions, RequestOptions } from "./options.ts";
