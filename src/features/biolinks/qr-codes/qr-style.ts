/** What codes may look like. Imports nothing: what draws is tried outside of workerd, too. */
export const SHAPES = ["square", "rounded", "dots"] as const;
export const ERROR_CORRECTIONS = ["L", "M", "Q", "H"] as const;

export interface Style {
  foreground: string;
  /** Null: transparent. */
  background: string | null;
  shape: (typeof SHAPES)[number];
  /** Modules of quiet zone. */
  margin: number;
  error_correction: (typeof ERROR_CORRECTIONS)[number];
  /** A file's id: the picture in its middle. Left out: none. */
  logo?: string;
  /** Of a dynamic code: whether its address is in upper case. */
  compact: boolean;
}

export const NEW_STYLE: Style = {
  foreground: "#000000",
  background: "#ffffff",
  shape: "square",
  margin: 4,
  error_correction: "M",
  compact: true,
};
