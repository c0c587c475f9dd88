/**
 * `npm run screenshots -- FOLDER`: a page of every block in each preset, at 360 and 1,280 px, light
 * and dark, as files to be looked at before a release. ONLY=paper: that preset alone.
 */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Browser } from "playwright-core";
import { openPage } from "../test/support/node/browser.ts";
import { give, publishPage, takeStock } from "../test/support/node/sample-pages.ts";
import { setStage } from "../test/support/node/stage.ts";

const [given = "screenshots"] = process.argv.slice(2);
const folder = resolve(given);
const SIZES = [
  { width: 360, height: 780 },
  { width: 1280, height: 800 },
];
const MODES = ["light", "dark"] as const;

/** Still lifes in the colours of clay: a page is judged with pictures that could be somebody's. */
async function drawPictures(browser: Browser): Promise<Uint8Array[]> {
  const { page } = await openPage(browser);
  const scenes = [
    ["#e9d8c3", "#b98a62", "#7d4f33"],
    ["#cfd8d2", "#6c8576", "#33473c"],
    ["#d5d9e6", "#6a7398", "#2f3757"],
  ];
  const drawn: Uint8Array[] = [];
  for (const scene of scenes) {
    const base64 = await page.evaluate(async ([wall, clay, shade]) => {
      const canvas = new OffscreenCanvas(1200, 800);
      const pen = canvas.getContext("2d") as OffscreenCanvasRenderingContext2D;
      const light = pen.createLinearGradient(0, 0, 1200, 800);
      light.addColorStop(0, "#fff");
      light.addColorStop(0.4, wall as string);
      light.addColorStop(1, clay as string);
      pen.fillStyle = light;
      pen.fillRect(0, 0, 1200, 800);
      pen.fillStyle = shade as string;
      pen.fillRect(0, 620, 1200, 180);
      for (const [x, width, height] of [
        [330, 240, 190],
        [620, 300, 320],
        [930, 190, 140],
      ] as const) {
        const glaze = pen.createLinearGradient(x - width / 2, 0, x + width / 2, 0);
        glaze.addColorStop(0, wall as string);
        glaze.addColorStop(1, shade as string);
        pen.fillStyle = glaze;
        pen.beginPath();
        pen.moveTo(x - width / 2, 650 - height);
        pen.bezierCurveTo(x - width / 2, 690, x + width / 2, 690, x + width / 2, 650 - height);
        pen.closePath();
        pen.fill();
        pen.fillStyle = shade as string;
        pen.beginPath();
        pen.ellipse(x, 650 - height, width / 2, width / 12, 0, 0, 7);
        pen.fill();
      }
      const blob = await canvas.convertToBlob({ type: "image/jpeg", quality: 0.8 });
      const bytes = new Uint8Array(await blob.arrayBuffer());
      return btoa([...bytes].map((byte) => String.fromCharCode(byte)).join(""));
    }, scene);
    drawn.push(Buffer.from(base64, "base64"));
  }
  await page.context().close();
  return drawn;
}

const stage = await setStage();
try {
  mkdirSync(folder, { recursive: true });
  const stock = await takeStock(stage, await drawPictures(stage.browser));
  const presets: { name: string }[] = await give(stage, "GET", "/catalogue/themes");
  const page = await publishPage(stage, {
    handle: "ada",
    profile: {
      name: "Ada Lindqvist",
      tagline: "Stoneware for everyday tables, made by the sea in Malmö",
      avatar: stock.pictures[0],
    },
    blocks: stock.blocks,
  });
  for (const { name } of presets.filter(({ name }) => name === (process.env.ONLY ?? name))) {
    await give(stage, "PATCH", `/pages/${page.id}`, { theme: { preset: name } });
    await give(stage, "POST", `/pages/${page.id}/publish`);
    for (const viewport of SIZES) {
      for (const colorScheme of MODES) {
        const { page: opened } = await openPage(stage.browser, { viewport, colorScheme });
        await opened.goto(page.public_url, { waitUntil: "networkidle" });
        // On a busy machine the network may be idle before the last picture is asked for.
        await opened.evaluate(async () => {
          for (const picture of document.images) picture.loading = "eager";
          await Promise.all(Array.from(document.images, (picture) => picture.decode()));
        });
        // What is fixed to the window would end after one screen of the picture.
        const height = await opened.evaluate(() => document.documentElement.scrollHeight);
        await opened.setViewportSize({ width: viewport.width, height });
        const path = join(folder, `${name}-${viewport.width}-${colorScheme}.png`);
        await opened.screenshot({ path, fullPage: true });
        await opened.context().close();
        console.log(path);
      }
    }
  }
} finally {
  await stage.stop();
}
process.exit();
