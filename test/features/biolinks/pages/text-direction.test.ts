import { expect, it } from "vitest";
import { directionOf } from "../../../../src/features/biolinks/pages/markup/words.ts";

it.each([
  [
    "rtl",
    "ar ar-EG he iw yi fa ps ur ug sd ckb khw ks dv arc syr nqo rhg ff-Adlm ku-Arab pa-PK pa-Arab uz-AF az-Arab ms-Arab az-IR",
  ],
  [
    "ltr",
    "en de ha ku ur-Latn ar-Latn sd-Deva ks-Deva pa pa-IN uz az ff tr zh-Hant-TW ja de-DE-u-co-phonebk xx x-klingon",
  ],
])("is read %s, by the script that it is written in: %s", (direction, languages) => {
  const found = languages.split(" ").map((language) => [language, directionOf(language)]);
  expect(found).toEqual(languages.split(" ").map((language) => [language, direction]));
});

it("what is no language at all is read from left to right", () => {
  expect(directionOf("")).toBe("ltr");
  expect(directionOf("no language")).toBe("ltr");
});
