import { ByteReader, ByteWriter } from "./ledger-bytes.ts";
import { KEY_UNIT, OTHER_VALUES, SLOTS_A_DAY } from "./ledger-counts.ts";
import { PROPERTIES, type Property } from "./ledger-shapes.ts";

/**
 * Different cells (combination and count) that a slot of a subject may have: beyond the first bound
 * all but country and device is `(other)` in new ones, beyond the second all but the country, beyond
 * the third all; never the trigger, of which a subject has one. So a day's body stays under 1.3 MB, of the 2 MB that a row may have.
 */
export const CELLS_A_SLOT = [300, 375, 450] as const;
const KEPT: ReadonlySet<Property>[] = [
  new Set(["country", "device", "trigger"]),
  new Set(["country", "trigger"]),
];
const ALWAYS_KEPT: ReadonlySet<Property> = new Set(["trigger"]);
const CELL_UNIT = SLOTS_A_DAY * KEY_UNIT;
const VERSION = 1;
const ONE_BYTE = 256;

/** What a subject's hits of one UTC day were: each combination of properties, by slot and measure. */
export class DayCombinations {
  /** By property: each value's place among the day's. */
  readonly values: Map<number, number>[] = PROPERTIES.map(() => new Map());
  /** By property: each combination's value, as its place. */
  readonly #columns: number[][] = PROPERTIES.map(() => []);
  readonly #combinations = new Map<string, number>();
  readonly #cells = new Map<number, number>();
  readonly #cellsOf = new Uint16Array(SLOTS_A_DAY);

  static read(body: Uint8Array | undefined): DayCombinations {
    const day = new DayCombinations();
    if (!body) return day;
    const all = PROPERTIES.map((_, property) => property);
    const { columns, count, eachCell } = openCombinations(body, all);
    for (const [property, { values }] of columns.entries()) {
      for (const value of values) day.#placeOf(property, value);
    }
    for (let at = 0; at < count; at++) {
      const places = columns.map((column) => column.placeOf(at));
      for (const [property, place] of places.entries()) day.#columns[property]?.push(place);
      day.#combinations.set(places.join(), at);
    }
    eachCell((at, key, hits) => {
      day.#cells.set(at * CELL_UNIT + key, hits);
      day.#countCell(key);
    });
    return day;
  }

  get cells(): number {
    return this.#cells.size;
  }

  /** Whether a new combination of this slot would be coarser than it came. */
  isFull(slot: number): boolean {
    return (this.#cellsOf[slot] ?? 0) >= CELLS_A_SLOT[0];
  }

  /** Adds hits of a combination, as finely as there is room; `isCoarse`: not finer than the country. */
  add(given: number[], slot: number, measure: number, hits: number, isCoarse = false): void {
    const key = slot * KEY_UNIT + measure;
    for (let step = isCoarse ? KEPT.length : 0; step <= KEPT.length; step++) {
      const values = coarser(given, step);
      const limit = CELLS_A_SLOT[step] ?? 0;
      if (this.#addTo(values, key, hits, (this.#cellsOf[slot] ?? 0) < limit)) return;
    }
    this.#addTo(coarser(given, KEPT.length + 1), key, hits, true);
  }

  /** Every cell, with the values of its combination. */
  each(visit: (values: number[], key: number, hits: number) => void): void {
    const values = this.values.map((places) => [...places.keys()]);
    for (const [cell, hits] of this.#cells) {
      const at = Math.floor(cell / CELL_UNIT);
      const of = this.#columns.map((column, property) => values[property]?.[column[at] ?? 0] ?? 0);
      visit(of, cell % CELL_UNIT, hits);
    }
  }

  write(): Uint8Array {
    const writer = new ByteWriter();
    const count = this.#combinations.size;
    writer.byte(VERSION);
    writer.number(count);
    for (const [property, places] of this.values.entries()) {
      writer.number(places.size);
      for (const value of places.keys()) writer.number(value);
      if (places.size < 2) continue;
      for (const place of this.#columns[property] ?? []) {
        writer.byte(place & 255);
        if (places.size > ONE_BYTE) writer.byte(place >> 8);
      }
    }
    const cells: [number, number][][] = Array.from({ length: count }, () => []);
    for (const [cell, hits] of this.#cells) {
      cells[Math.floor(cell / CELL_UNIT)]?.push([cell % CELL_UNIT, hits]);
    }
    for (const of of cells) {
      writer.number(of.length);
      for (const [key, hits] of of) {
        writer.number(key);
        writer.number(hits);
      }
    }
    return writer.finish();
  }

  #addTo(values: number[], key: number, hits: number, hasRoom: boolean): boolean {
    const places = values.map((value, property) => this.values[property]?.get(value) ?? -1);
    const known = places.includes(-1) ? undefined : this.#combinations.get(places.join());
    const held = known === undefined ? undefined : this.#cells.get(known * CELL_UNIT + key);
    if (held === undefined && !hasRoom) return false;
    const at = known ?? this.#insert(values);
    if (held === undefined) this.#countCell(key);
    this.#cells.set(at * CELL_UNIT + key, (held ?? 0) + hits);
    return true;
  }

  #insert(values: number[]): number {
    const places = values.map((value, property) => this.#placeOf(property, value));
    for (const [property, place] of places.entries()) this.#columns[property]?.push(place);
    const at = this.#combinations.size;
    this.#combinations.set(places.join(), at);
    return at;
  }

  #placeOf(property: number, value: number): number {
    const places = this.values[property];
    const place = places?.get(value) ?? places?.size ?? 0;
    places?.set(value, place);
    return place;
  }

  #countCell(key: number): void {
    const slot = Math.floor(key / KEY_UNIT);
    this.#cellsOf[slot] = (this.#cellsOf[slot] ?? 0) + 1;
  }
}

function coarser(values: number[], step: number): number[] {
  if (step === 0) return values;
  const kept = KEPT[step - 1] ?? ALWAYS_KEPT;
  return values.map((value, at) => (kept.has(PROPERTIES[at] as Property) ? value : OTHER_VALUES));
}

/** Of one property: the different values of the day, and which of them a combination has. */
class Column {
  readonly values: number[];
  readonly #places: Uint8Array | undefined;
  readonly #isWide: boolean;

  constructor(values: number[], places: Uint8Array | undefined, isWide: boolean) {
    this.values = values;
    this.#places = places;
    this.#isWide = isWide;
  }

  placeOf(combination: number): number {
    const places = this.#places;
    if (!places) return 0;
    if (!this.#isWide) return places[combination] ?? 0;
    return (places[2 * combination] ?? 0) + 256 * (places[2 * combination + 1] ?? 0);
  }

  valueOf(combination: number): number {
    return this.values[this.placeOf(combination)] ?? 0;
  }
}

/** Opens a body of {@link DayCombinations}: only the columns of these properties are looked at. */
export function openCombinations(
  body: Uint8Array,
  properties: number[],
): {
  /** In the order of the properties. */
  columns: Column[];
  count: number;
  eachCell(visit: (combination: number, key: number, hits: number) => void): void;
} {
  const reader = new ByteReader(body);
  const version = reader.byte();
  if (version !== VERSION) throw new Error(`A day of version ${version}.`);
  const count = reader.number();
  const columns = new Array<Column>(properties.length);
  for (let property = 0; property < PROPERTIES.length; property++) {
    const wanted = properties.indexOf(property);
    const size = reader.number();
    const values: number[] = [];
    for (let at = 0; at < size; at++) {
      const value = reader.number();
      if (wanted >= 0) values.push(value);
    }
    const isWide = size > ONE_BYTE;
    const places = size < 2 ? undefined : reader.part(isWide ? 2 * count : count);
    if (wanted >= 0) columns[wanted] = new Column(values, places, isWide);
  }
  return {
    columns,
    count,
    eachCell(visit) {
      for (let at = 0; at < count; at++) {
        for (let left = reader.number(); left > 0; left--) {
          const key = reader.number();
          visit(at, key, reader.number());
        }
      }
    },
  };
}
