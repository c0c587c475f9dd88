/** For tags and stages, which are kept while a segment names them. */
export { findSegmentsUsing } from "./segments.repository.ts";
