export { SignpostError } from "./errors.ts";
export * from "./generated/client.ts";
export type * from "./generated/types.ts";
export type { List, Page } from "./list.ts";
export type {
  ChangeOptions,
  ClientOptions,
  KeyedOptions,
  Made,
  MatchOptions,
  RequestOptions,
  Upload,
  UploadOptions,
} from "./options.ts";
