/** What an AVIF's items are, where their bytes are, and how large its image is. */
import { type Box, boxesOf, boxOf, Fields } from "./boxes.ts";
import { assertSize, type Reader, UnfitFile } from "./file-bytes.ts";

/** Images and how they are put together; others tell of them, or are unknown. */
const DRAWN = new Set(["av01", "grid", "iovl", "iden", "tmap"]);
const TOLD = new Set(["Exif", "mime", "uri "]);
const MOST_EXTENTS = 10_000;
/** As many as a list of items can hold. Images in tiles, of 8,000 pixels a side, have some hundreds. */
const MOST_ITEMS = 1000;

export interface Range {
  from: number;
  to: number;
}

interface Item {
  type: string;
  /** Behind its type: its name, for people. */
  name: Range;
}

/** @throws UnfitFile */
export function readItems(reader: Reader, meta: Box[]): Map<number, Item> {
  const box = boxOf(meta, "iinf");
  const fields = new Fields(reader, box);
  fields.number(fields.version().version === 0 ? 2 : 4);
  const items = new Map<number, Item>();
  for (const entry of boxesOf(reader, fields.at, box.to)) {
    const inner = new Fields(reader, entry);
    const { version } = inner.version();
    if (entry.type !== "infe" || version < 2) throw new UnfitFile("The AVIF's list is unknown.");
    const id = inner.number(version === 2 ? 2 : 4);
    const isProtected = inner.number(2) !== 0;
    const type = inner.name();
    if (isProtected || !(DRAWN.has(type) || TOLD.has(type))) {
      throw new UnfitFile("The AVIF has a part that is unknown.");
    }
    items.set(id, { type, name: { from: inner.at, to: entry.to } });
  }
  return items;
}

export function isDrawn({ type }: Item): boolean {
  return DRAWN.has(type);
}

/** Where the items' bytes are, by their ids. @throws UnfitFile */
export function readPlaces(reader: Reader, meta: Box[]): Map<number, Range[]> {
  const fields = new Fields(reader, boxOf(meta, "iloc"));
  const { version } = fields.version();
  const sizes = fields.number(2);
  const [offsetBytes, lengthBytes, baseBytes, indexBytes] = [12, 8, 4, 0].map(
    (shift) => (sizes >> shift) & 15,
  ) as [number, number, number, number];
  const count = countOf(fields, version < 2 ? 2 : 4);
  const all = { from: 0, to: reader.length };
  const inMeta = meta.some(({ type }) => type === "idat") ? boxOf(meta, "idat") : undefined;
  const places = new Map<number, Range[]>();
  let extents = 0;
  for (let n = 0; n < count; n++) {
    const id = fields.number(version < 2 ? 2 : 4);
    const method = version === 0 ? 0 : fields.number(2) & 15;
    const whole = [all, inMeta][method];
    if (!whole || fields.number(2) !== 0) throw new UnfitFile("The AVIF's bytes are elsewhere.");
    const base = whole.from + fields.number(baseBytes);
    const ranges: Range[] = [];
    for (let left = fields.number(2); left > 0; left--) {
      if (++extents > MOST_EXTENTS) throw new UnfitFile("The AVIF has too many parts.");
      if (version > 0) fields.number(indexBytes);
      const from = base + fields.number(offsetBytes);
      const length = fields.number(lengthBytes);
      // No length: all there is.
      const to = length === 0 ? whole.to : from + length;
      if (from > to || to > whole.to) throw new UnfitFile("A part is longer than the whole.");
      ranges.push({ from, to });
    }
    places.set(id, ranges);
  }
  return places;
}

/** How many items a part tells of. @throws UnfitFile */
function countOf(fields: Fields, bytes: number): number {
  const count = fields.number(bytes);
  if (count > MOST_ITEMS) throw new UnfitFile("The AVIF has too many parts.");
  return count;
}

/** The image's size as it is seen: cropped, then turned. @throws UnfitFile */
export function readSize(reader: Reader, meta: Box[]): { width: number; height: number } {
  const primary = new Fields(reader, boxOf(meta, "pitm"));
  const id = primary.number(primary.version().version === 0 ? 2 : 4);
  const parts = boxesOf(reader, boxOf(meta, "iprp").from, boxOf(meta, "iprp").to);
  const properties = propertiesOf(reader, meta);
  for (const { type, from, to } of properties) {
    if (type !== "ispe") continue;
    const fields = new Fields(reader, { from: from + 4, to });
    assertSize(fields.number(4), fields.number(4));
  }
  let size: { width: number; height: number } | undefined;
  const own = indexesOf(reader, boxOf(parts, "ipma"), id).map((index) => properties[index - 1]);
  for (const property of own) {
    if (!property) continue;
    const fields = new Fields(reader, property);
    if (property.type === "ispe") {
      fields.version();
      size = { width: fields.number(4), height: fields.number(4) };
    } else if (property.type === "clap" && size) {
      const crop = Array.from({ length: 4 }, () => fields.number(4)) as [
        number,
        number,
        number,
        number,
      ];
      const [width, height] = [crop[0] / crop[1], crop[2] / crop[3]];
      if (Number.isInteger(width) && Number.isInteger(height)) size = { width, height };
    } else if (property.type === "irot" && size && fields.number(1) % 2 === 1) {
      size = { width: size.height, height: size.width };
    }
  }
  if (!size) throw new UnfitFile("The AVIF does not say how large it is.");
  assertSize(size.width, size.height);
  return size;
}

/** What is told of images, in the order by which they name it. */
export function propertiesOf(reader: Reader, meta: Box[]): Box[] {
  const parts = boxesOf(reader, boxOf(meta, "iprp").from, boxOf(meta, "iprp").to);
  const list = boxOf(parts, "ipco");
  return boxesOf(reader, list.from, list.to);
}

/** Which properties an item has: numbers, from 1 on. */
function indexesOf(reader: Reader, box: Box, wanted: number): number[] {
  const fields = new Fields(reader, box);
  const { version, flags } = fields.version();
  for (let entries = countOf(fields, 4); entries > 0; entries--) {
    const id = fields.number(version === 0 ? 2 : 4);
    const bytes = flags & 1 ? 2 : 1;
    const indexes = Array.from({ length: fields.number(1) }, () => {
      // The first bit says whether the property must be understood.
      return fields.number(bytes) & (bytes === 2 ? 0x7fff : 0x7f);
    });
    if (id === wanted) return indexes;
  }
  return [];
}
