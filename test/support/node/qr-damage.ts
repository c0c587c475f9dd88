import type { Page } from "playwright-core";
import type { Damage, Drawn } from "./qr-cases.ts";

/** A camera sees a module with so many pixels: fewer are too far away, more are too near. */
const CAMERA = { least: 4, most: 8 };
/** Out of focus by so much of a module: its edges smear over more than half of it. */
const BLUR = 0.25;

/** From where a camera looks until it reads a code: a phone takes thirty such frames a second. */
export const DISTANCES = [1, 1.5, 0.8, 2.2];

/** A picture as cameras see it, once for each damage, as PNGs: drawn by a real browser. */
export async function damagedPictures(
  page: Page,
  { url, size, modules, background }: Drawn,
  damages: readonly Damage[],
  distance = 1,
): Promise<Uint8Array[]> {
  const seen = Math.min(Math.max(size, modules * CAMERA.least), modules * CAMERA.most);
  const asked = {
    url,
    background,
    // Seen from further away, the picture is drawn at a camera's size, not the file's.
    size: distance === 1 ? size : seen * distance,
    seen: seen * distance,
    modules,
    blur: BLUR,
    damages: [...damages],
  };
  const drawn = await page.evaluate(draw, asked);
  return drawn.map((png) => new Uint8Array(Buffer.from(png, "base64")));
}

/** Runs in the page. What is printed on is of the code's background: who sees the code sees no other. */
async function draw({
  url,
  background,
  size,
  seen,
  modules,
  blur,
  damages,
}: {
  url: string;
  background: string;
  size: number;
  seen: number;
  modules: number;
  blur: number;
  damages: string[];
}): Promise<string[]> {
  const load = async (source: string) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    return image;
  };
  const paper = (size: number) => {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = size;
    const context = canvas.getContext("2d");
    if (!context) throw new Error("There is no canvas.");
    context.fillStyle = background;
    context.fillRect(0, 0, size, size);
    return { canvas, context };
  };
  const image = await load(url);
  const pictures: string[] = [];
  for (const damage of damages) {
    const side = damage === "none" ? size : seen;
    const around = Math.ceil(damage === "turned" ? side * 1.3 : side);
    let { canvas, context } = paper(around);
    if (damage === "blurred") context.filter = `blur(${(side / modules) * blur}px)`;
    context.translate(around / 2, around / 2);
    if (damage === "turned") context.rotate((15 * Math.PI) / 180);
    context.drawImage(image, -side / 2, -side / 2, side, side);
    context.resetTransform();
    if (damage === "covered") {
      // A tenth of the code, its margin not counted, beside finders and the middle.
      const code = side * (1 - 8 / modules);
      const [width, height] = [code * 0.3, code * (0.1 / 0.3)];
      context.fillStyle = "#808080";
      context.fillRect(side / 2 + code / 2 - width, side / 2 - height / 2, width, height);
    }
    if (damage === "jpeg") {
      const blurry = await load(canvas.toDataURL("image/jpeg", 0.4));
      ({ canvas, context } = paper(around));
      context.drawImage(blurry, 0, 0);
    }
    pictures.push(canvas.toDataURL("image/png").split(",")[1] ?? "");
  }
  return pictures;
}
