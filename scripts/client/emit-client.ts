/** The client's classes: one for each place of the API, whose methods are its operations. */
import type { ClientOperation } from "../../src/features/reference/client-operations.ts";
import type { Description } from "./description.ts";
import { methodOf, pascalCase } from "./emit-methods.ts";

const HEAD = "// Made by `npm run client` from the API description: change that, not this.";
const IMPORTS = [
  ["import", "../core.ts", ["Core", "path"]],
  ["import type", "../list.ts", ["List", "Page"]],
  [
    "import type",
    "../options.ts",
    [
      ...["ChangeOptions", "ClientOptions", "KeyedOptions", "Made", "MatchOptions"],
      ...["RequestOptions", "Upload", "UploadOptions"],
    ],
  ],
] as const;

interface Root {
  name: string;
  /** The option that holds what proves who is calling. */
  credential: string;
  says: string;
}

/** The module of a client, for the operations that are its. */
export function emitClient(
  description: Description,
  operations: ClientOperation[],
  root: Root,
): string {
  const types: string[] = [];
  const classes = classesOf(operations).map(({ place, own, below }) => {
    const name = place.length === 0 ? root.name : pascalCase(place);
    const methods = own.map((operation) =>
      methodOf(operation, { description, className: name, types }),
    );
    return classText(name, { methods, below, root: place.length === 0 ? root : undefined });
  });
  return withoutUnused([...types, ...classes].join("\n"));
}

/** Every place with what is there, the innermost first. */
function classesOf(operations: ClientOperation[]) {
  const places = new Map<string, string[]>([["", []]]);
  for (const { place } of operations) {
    for (let depth = 1; depth <= place.length; depth++) {
      const part = place.slice(0, depth);
      places.set(part.join("."), part);
    }
  }
  const list = [...places.values()];
  return list
    .map((place) => ({
      place,
      own: operations.filter((operation) => operation.place.join(".") === place.join(".")),
      below: list.filter(
        (other) =>
          other.length === place.length + 1 && place.every((word, at) => other[at] === word),
      ),
    }))
    .sort((one, other) => other.place.length - one.place.length);
}

function classText(
  name: string,
  { methods, below, root }: { methods: string[]; below: string[][]; root: Root | undefined },
): string {
  const fields = below.map((place) => `readonly ${place.at(-1)}: ${pascalCase(place)};`);
  const made = below.map((place) => `this.${place.at(-1)} = new ${pascalCase(place)}(core);`);
  const begin = root
    ? [
        `constructor({ ${root.credential}, ...options }: ClientOptions & {`,
        `/** ${root.says} */ ${root.credential}: string | null; }) {`,
        `const core = new Core(options, ${root.credential});`,
      ]
    : ["constructor(core: Core) {"];
  const keeps = methods.length > 0;
  return [
    `export class ${name} {`,
    ...(keeps ? ["readonly #core: Core;"] : []),
    ...fields,
    "",
    ...begin,
    ...(keeps ? ["this.#core = core;"] : []),
    ...made,
    "}",
    ...methods.map((method) => `\n${method}`),
    "}\n",
  ].join("\n");
}

/** The module with the imports that it uses. */
function withoutUnused(text: string): string {
  const imports = IMPORTS.map(([keyword, from, names]) => {
    const used = names.filter((name) => new RegExp(`(?<!\\.)\\b${name}\\b`).test(text));
    return used.length > 0 ? `${keyword} { ${used.join(", ")} } from ${JSON.stringify(from)};` : "";
  });
  return [HEAD, ...imports, 'import type * as T from "./types.ts";', text].join("\n");
}
