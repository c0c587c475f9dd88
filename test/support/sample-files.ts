import { crc32 } from "../../src/platform/crypto/crc32.ts";

/** Real files, small ones, and what people's files hold that is nobody's business. */

const decode = (text: string) =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
const ascii = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** Bytes, numbers and ASCII, one after the other. */
export function bytesOf(...parts: (Uint8Array | string | number | number[])[]): Uint8Array {
  const lists = parts.map((part) => {
    if (typeof part === "string") return ascii(part);
    return typeof part === "number" ? [part] : part;
  });
  const whole = new Uint8Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    whole.set(list, at);
    at += list.length;
  }
  return whole;
}

const u32 = (value: number) => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255];
const u32Little = (value: number) => u32(value).reverse();
const u16 = (value: number) => [value >> 8, value & 255];

/** 24 by 16 pixels, by Chromium's canvas. */
export const JPEG = decode(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/4gHYSUNDX1BST0ZJTEUAAQEAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AAB" +
    "AAEAAAAAAABhY3NwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAA" +
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlkZXNjAAAA8AAAACRyWFlaAAABFAAAABRnWFla" +
    "AAABKAAAABRiWFlaAAABPAAAABR3dHB0AAABUAAAABRyVFJDAAABZAAAAChnVFJDAAABZAAAAChiVFJDAAABZAAA" +
    "AChjcHJ0AAABjAAAADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAAAAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1" +
    "AAADkFhZWiAAAAAAAABimQAAt4UAABjaWFlaIAAAAAAAACSgAAAPhAAAts9YWVogAAAAAAAA9tYAAQAAAADTLXBh" +
    "cmEAAAAAAAQAAAACZmYAAPKnAAANWQAAE9AAAApbAAAAAAAAAABtbHVjAAAAAAAAAAEAAAAMZW5VUwAAACAAAAAc" +
    "AEcAbwBvAGcAbABlACAASQBuAGMALgAgADIAMAAxADb/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikx" +
    "MC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09P" +
    "T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAQABgDASIAAhEBAxEB/8QAFgABAQEA" +
    "AAAAAAAAAAAAAAAABAAF/8QAGhABAAEFAAAAAAAAAAAAAAAAAIEEBUJDwf/EABYBAQEBAAAAAAAAAAAAAAAAAAQD" +
    "Bf/EACURAAACCAcBAAAAAAAAAAAAAAARAQIDBBIVMWIFEyFBUaHh0f/aAAwDAQACEQMRAD8AQDctc8CGrMJCc3TN" +
    "bKqGR/BdlhUvXQ8xxQ7EVdKmnkJTNTbkt/XoXN7O/B//2Q==",
);
export const PNG = decode(
  "iVBORw0KGgoAAAANSUhEUgAAABgAAAAQCAYAAAAMJL+VAAAAQUlEQVR4AeyRQQkAMAwDwyxFVDXVUz11EkIY+6Vw" +
    "v0Dh7nC4DkOuw8HnywMpOIq0oi7AodBwSAPdQC4eB2kgBV4AAAD//523Ay8AAAAGSURBVAMAnGdMueId4/YAAAAA" +
    "SUVORK5CYII=",
);
/** Of the simple kind, without VP8X. */
export const WEBP = decode(
  "UklGRmAAAABXRUJQVlA4IFQAAACQAwCdASoYABAAPrVInkmnJCKhMAgA4BaJagCdMoGv/7iABvUcAP7dD6a/Yzf/" +
    "LnvMXP+LdwDW/bxfldw//wiv//RfYV/ofz7fJxQd5LV1DL5AAAA=",
);
/** The same, turned by a quarter, with EXIF (GPS in it) and XMP, by avifenc 0.11.1. */
export const AVIF = decode(
  "AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAAGFbWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAA" +
    "AAAAAAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAA6aWxvYwAAAABEAAADAAEAAAABAAACbQAAAD0AAgAA" +
    "AAEAAAGtAAAAdgADAAAAAQAAAiMAAABKAAAAbWlpbmYAAAAAAAMAAAAaaW5mZQIAAAAAAQAAYXYwMUNvbG9yAAAA" +
    "ABlpbmZlAgAAAAACAABFeGlmRXhpZgAAAAAsaW5mZQIAAAAAAwAAbWltZVhNUABhcHBsaWNhdGlvbi9yZGYreG1s" +
    "AAAAAChpcmVmAAAAAAAAAA5jZHNjAAIAAQABAAAADmNkc2MAAwABAAEAAAB0aXBycAAAAFRpcGNvAAAAFGlzcGUA" +
    "AAAAAAAAGAAAABAAAAAQcGl4aQAAAAADCAgIAAAADGF2MUOBIAAAAAAAE2NvbHJuY2x4AAEADQAGgAAAAAlpcm90" +
    "AQAAABhpcG1hAAAAAAAAAAEAAQUBAoMEhQAAAQVtZGF0AAAAAE1NACoAAAAIAAMBDwACAAAACgAAADIBEgADAAAA" +
    "AQABAACIJQAEAAAAAQAAADwAAAAAU2VjcmV0Q2FtAAACAAEAAgAAAAJOAAAAAAIABQAAAAMAAABaAAAAAAAAADQA" +
    "AAABAAAAHwAAAAEAAAAMAAAAATx4OnhtcG1ldGEgeG1sbnM6eD0iYWRvYmU6bnM6bWV0YS8iPjxzZWNyZXQ+U2Vj" +
    "cmV0WG1wPC9zZWNyZXQ+PC94OnhtcG1ldGE+EgAKCDgQ7+wgIaDSMi9FkAGGGGEA7TQ0UsM+sAEtYsVhpBut07th" +
    "oxWqkbM9y4UtYF7IRYEdPSQDn+8kNQ==",
);

/** 2 by 1 pixels: one frame of three. */
const GIF_FRAME = [0x2c, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2, 2, 0x44, 0x0a, 0];
const GIF_HEAD = bytesOf("GIF89a", [2, 0, 1, 0, 0x80, 0, 0], [255, 0, 0, 0, 0, 255]);
export const GIF = bytesOf(GIF_HEAD, GIF_FRAME, 0x3b);
const GIF_CONTROL = [0x21, 0xf9, 4, 0, 10, 0, 0, 0];
const GIF_LOOP = bytesOf([0x21, 0xff, 11], "NETSCAPE2.0", [3, 1, 0, 0, 0]);

export const PDF = bytesOf(
  "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n",
);

/** What must be in no file that is served. */
export const SECRETS = ["SecretCam", "SecretXmp", "SecretNote", "<script"];

/** What a camera notes: who it is, how it was held, and where. */
export function exif(orientation: number): Uint8Array {
  const entry = (tag: number, type: number, count: number, value: number[]) =>
    bytesOf(u16(tag), u16(type), u32(count), value);
  const make = bytesOf("SecretCam", 0);
  const gpsAt = 8 + 2 + 3 * 12 + 4 + make.length;
  return bytesOf(
    "MM",
    u16(42),
    u32(8),
    u16(3),
    entry(0x010f, 2, make.length, u32(8 + 2 + 3 * 12 + 4)),
    entry(0x0112, 3, 1, [...u16(orientation), 0, 0]),
    entry(0x8825, 4, 1, u32(gpsAt)),
    u32(0),
    make,
    u16(1),
    entry(2, 5, 3, u32(gpsAt + 2 + 12 + 4)),
    u32(0),
    ...[52, 1, 31, 1, 12, 1].map(u32),
  );
}

const XMP = '<x:xmpmeta xmlns:x="adobe:ns:meta/">SecretXmp</x:xmpmeta>';
/** Something else behind the end, as polyglots have it. */
export const TAIL = bytesOf("PK\x03\x04<script>SecretNote</script>");

const segment = (marker: number, ...content: (Uint8Array | string | number)[]) => {
  const inside = bytesOf(...content);
  return bytesOf([0xff, marker], u16(inside.length + 2), inside);
};

/** A JPEG as a camera, and then a program, would have left it. */
export function tellingJpeg(orientation: number): Uint8Array {
  return bytesOf(
    JPEG.subarray(0, 2),
    segment(0xe1, "Exif\0\0", exif(orientation)),
    segment(0xe1, "http://ns.adobe.com/xap/1.0/\0", XMP),
    segment(0xe2, "MPF\0", "SecretNote"),
    segment(0xed, "Photoshop 3.0\0", "SecretNote"),
    segment(0xfe, "SecretNote"),
    JPEG.subarray(2),
    TAIL,
  );
}

export const chunk = (name: string, ...content: (Uint8Array | string | number | number[])[]) => {
  const inside = bytesOf(name, ...content);
  return bytesOf(u32(inside.length - 4), inside, u32(crc32(inside)));
};

export function tellingPng(orientation: number): Uint8Array {
  return bytesOf(
    PNG.subarray(0, 33),
    chunk("eXIf", exif(orientation)),
    chunk("tEXt", "Comment\0SecretNote"),
    chunk("iTXt", "XML:com.adobe.xmp\0\0\0\0\0", XMP),
    chunk("tIME", 7, 208, 1, 1, 1, 1, 1),
    chunk("prVt", "SecretNote"),
    PNG.subarray(33),
    TAIL,
  );
}

/** A PNG whose header says so many pixels. */
export function pngOf(width: number, height: number): Uint8Array {
  const header = chunk("IHDR", u32(width), u32(height), [8, 2, 0, 0, 0]);
  return bytesOf(PNG.subarray(0, 8), header, PNG.subarray(33));
}

const riff = (name: string, ...content: (Uint8Array | string | number | number[])[]) => {
  const inside = bytesOf(...content);
  return bytesOf(name, u32Little(inside.length), inside, inside.length % 2 ? [0] : []);
};

export function tellingWebp(orientation: number): Uint8Array {
  const chunks = bytesOf(
    riff("VP8X", [0x0c, 0, 0, 0], [23, 0, 0], [15, 0, 0]),
    WEBP.subarray(12),
    riff("EXIF", exif(orientation)),
    riff("XMP ", XMP),
    riff("priv", "SecretNote!"),
  );
  return bytesOf("RIFF", u32Little(chunks.length + 4), "WEBP", chunks, TAIL);
}

/** Of two frames, one of which has something of its own. */
export function animatedWebp(): Uint8Array {
  const frame = (...more: Uint8Array[]) =>
    riff("ANMF", [0, 0, 0, 0, 0, 0, 23, 0, 0, 15, 0, 0, 100, 0, 0, 0], WEBP.subarray(12), ...more);
  const chunks = bytesOf(
    riff("VP8X", [0x02, 0, 0, 0], [23, 0, 0], [15, 0, 0]),
    riff("ANIM", [0, 0, 0, 0, 0, 0]),
    frame(riff("note", "SecretNote")),
    frame(),
  );
  return bytesOf("RIFF", u32Little(chunks.length + 4), "WEBP", chunks);
}

export function tellingGif(): Uint8Array {
  return bytesOf(
    GIF_HEAD,
    GIF_LOOP,
    bytesOf([0x21, 0xfe, 10], "SecretNote", 0),
    bytesOf([0x21, 0xff, 11], "XMP DataXMP", 9, "SecretXmp", 0),
    GIF_CONTROL,
    GIF_FRAME,
    GIF_CONTROL,
    GIF_FRAME,
    0x3b,
    TAIL,
  );
}

export function contains(bytes: Uint8Array, text: string): boolean {
  return new TextDecoder("latin1").decode(bytes).includes(text);
}
