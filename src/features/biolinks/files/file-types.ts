/** The files that are taken, and their names. */
export const FILE_TYPES = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/webp": "webp",
  "image/gif": "gif",
  "image/avif": "avif",
  "application/pdf": "pdf",
} as const;
export type FileType = keyof typeof FILE_TYPES;

export const MEDIA_TYPES = Object.keys(FILE_TYPES) as FileType[];

/** Where a content is served, on the platform's host and on its workspaces' own. */
export function assetPath({ sha256, type }: { sha256: string; type: FileType }): string {
  return `/assets/f/${sha256}.${FILE_TYPES[type]}`;
}

/** The content that a path serves, in hex, if it is one of those. */
export function contentOfPath(path: string): string | undefined {
  return /^\/assets\/f\/([0-9a-f]{64})\.[a-z]{3,4}$/.exec(path)?.[1];
}
