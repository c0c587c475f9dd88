import {
  isDrawn,
  propertiesOf,
  type Range,
  readItems,
  readPlaces,
  readSize,
} from "./avif-items.ts";
import { type Box, boxesOf, boxOf, Fields } from "./boxes.ts";
import { type CleanFile, Reader, UnfitFile } from "./file-bytes.ts";
import { EMPTY_EXIF } from "./orientation.ts";

const META = new Set(["hdlr", "pitm", "iloc", "iinf", "iref", "iprp", "idat", "grpl"]);
/** What says how an image is drawn; others (`udes`, a description) are for people. */
const PROPERTIES = new Set(
  "ispe pixi av1C colr pasp irot imir clap auxC clli mdcv cclv amve a1op lsel a1lx rloc".split(" "),
);
const FREE = [0x66, 0x72, 0x65, 0x65];

/**
 * An AVIF in which all bytes that draw nothing are zero: none is moved, as its parts are named by
 * their places. What follows its last part is cut. @throws UnfitFile
 */
export function cleanAvif(source: Uint8Array): CleanFile {
  const bytes = source.slice();
  const reader = new Reader(bytes);
  const top = boxesOf(reader, 0, bytes.length);
  if (top.some(({ type }) => type === "moov" || type === "moof")) {
    throw new UnfitFile("An animated AVIF is not taken: make it a WebP or a GIF.");
  }
  const metaBox = boxOf(top, "meta");
  const meta = boxesOf(reader, metaBox.from + 4, metaBox.to);
  const size = readSize(reader, meta);
  const items = readItems(reader, meta);
  const places = readPlaces(reader, meta);
  const stores = [...top, ...meta].filter(({ type }) => type === "mdat" || type === "idat");
  const [drawn, told]: [Range[], Range[][]] = [[], []];
  for (const [id, ranges] of places) {
    const item = items.get(id);
    if (item && isDrawn(item)) drawn.push(...ranges);
    else if (item?.type === "Exif") told.push(ranges);
  }
  drawn.sort((one, other) => one.from - other.from);
  assertStored(drawn, stores);
  for (const store of stores) blankBetween(bytes, store, drawn);
  for (const [exif] of told) writeEmptyExif(bytes, exif, drawn, stores);
  for (const { name } of items.values()) bytes.fill(0, name.from, name.to);
  blankUnknown(reader, top, meta);
  const end = endOf(top, drawn);
  return { bytes: bytes.subarray(0, end), ...size };
}

/** An image's bytes that were outside of what stores bytes would be of the file's own parts. */
function assertStored(drawn: Range[], stores: Box[]): void {
  const isIn = (range: Range) => (box: Box) => range.from >= box.from && range.to <= box.to;
  if (drawn.length > 0 && drawn.every((range) => stores.some(isIn(range)))) return;
  throw new UnfitFile("The AVIF's pixels are not where it says they are.");
}

function blankBetween(bytes: Uint8Array, { from, to }: Range, kept: Range[]): void {
  let at = from;
  for (const range of kept) {
    if (range.to <= at || range.from >= to) continue;
    if (range.from > at) bytes.fill(0, at, range.from);
    at = range.to;
  }
  if (at < to) bytes.fill(0, at, to);
}

/** Some readers refuse an image whose EXIF is none, so it gets one that tells nothing. */
function writeEmptyExif(
  bytes: Uint8Array,
  exif: Range | undefined,
  drawn: Range[],
  stores: Box[],
): void {
  const content = [0, 0, 0, 0, ...EMPTY_EXIF];
  if (!exif || exif.to - exif.from < content.length) return;
  const { from } = exif;
  const to = from + content.length;
  const isFree = !drawn.some((range) => range.from < to && range.to > from);
  if (isFree && stores.some((box) => from >= box.from && to <= box.to)) bytes.set(content, from);
}

/** What is of no known kind keeps its length, and nothing else. */
function blankUnknown(reader: Reader, top: Box[], meta: Box[]): void {
  const { bytes } = reader;
  const isKnown = (type: string) => type === "ftyp" || type === "meta" || type === "mdat";
  const unknown = [
    ...top.filter(({ type }) => !isKnown(type)),
    ...meta.filter(({ type }) => !META.has(type)),
  ];
  for (const { start, from, to } of unknown) {
    bytes.set(FREE, start + 4);
    bytes.fill(0, from, to);
  }
  for (const { type, from, to } of propertiesOf(reader, meta)) {
    if (!PROPERTIES.has(type)) bytes.fill(0, from, to);
  }
  // Behind a handler's kind stands its name.
  const handler = boxOf(meta, "hdlr");
  const fields = new Fields(reader, handler);
  fields.skip(24);
  bytes.fill(0, fields.at, handler.to);
}

/** What stores bytes without an end of its own ends behind the last that is drawn; a `meta` is needed whole. */
function endOf(top: Box[], drawn: Range[]): number {
  const last = top.findLast(({ type }) => type === "meta" || type === "mdat");
  if (last?.type !== "mdat" || !last.isEndless) return last?.to ?? 0;
  return Math.max(last.from, ...drawn.map(({ to }) => to));
}
