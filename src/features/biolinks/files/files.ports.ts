/** What other features need of files, and what files need of those that use them. */

import type { Env } from "../../../platform/config.ts";
import type { Context } from "../../../platform/context/context.ts";
import { sharedSession } from "../../../platform/db/client.ts";
import { retryTransient } from "../../../platform/db/retry.ts";
import { readContent } from "./file-store.ts";
import { assetPath, type FileType } from "./file-types.ts";

/** A file as others show it. */
export interface FoundFile {
  id: string;
  /** Absolute, on the platform's host. */
  url: string;
  /** The same without a host: for a page, which stands on a host that serves it too. */
  path: string;
  type: FileType;
  /** In pixels, as it is seen; null for a PDF. */
  width: number | null;
  height: number | null;
  bytes: number;
  /** In hex: of the bytes as they are served. */
  sha256: string;
}

/**
 * Those of the ids that are files of the workspace, by id; ids of others, or of none, are not in it.
 * One query, however many ids: at most a page's 2,003.
 */
export async function findFiles(
  { db, workspaceId, platformOrigin }: Context,
  ids: readonly string[],
): Promise<Map<string, FoundFile>> {
  if (ids.length === 0) return new Map();
  const { results } = await db.$client
    .prepare(
      `SELECT files.id, files.sha256, files.type, files.bytes, files.width, files.height
       FROM json_each(?1) AS asked CROSS JOIN files ON files.id = asked.value
       WHERE files.workspace_id = ?2`,
    )
    .bind(JSON.stringify([...new Set(ids)]), workspaceId)
    .all<Omit<FoundFile, "url" | "path">>();
  return new Map(
    results.map((row) => {
      const path = assetPath(row);
      return [row.id, { ...row, path, url: platformOrigin + path }];
    }),
  );
}

/** The ids of the workspace's pictures by their content, in hex: at most a few hundred. */
export async function findPictures(
  { db, workspaceId }: Context,
  contents: readonly string[],
): Promise<Map<string, string>> {
  if (contents.length === 0) return new Map();
  const { results } = await db.$client
    .prepare(
      `SELECT files.id, files.sha256
       FROM json_each(?1) AS asked CROSS JOIN files
         ON files.sha256 = asked.value AND files.workspace_id = ?2
       WHERE files.type GLOB 'image/*'`,
    )
    .bind(JSON.stringify([...new Set(contents)]), workspaceId)
    .all<{ id: string; sha256: string }>();
  return new Map(results.map(({ id, sha256 }) => [sha256, id]));
}

/**
 * The bytes of a workspace's file; undefined when it has none such, or the operator took it out of
 * service. They are held as a whole: ask for small files only. @throws 503
 */
export async function readFile(
  env: Env,
  workspaceId: string,
  id: string,
): Promise<Uint8Array | undefined> {
  const file = await retryTransient(() =>
    sharedSession(env, "primary")
      .prepare(
        `SELECT sha256 FROM files WHERE id = ?1 AND workspace_id = ?2 AND NOT EXISTS
           (SELECT 1 FROM disabled_files WHERE disabled_files.sha256 = files.sha256)`,
      )
      .bind(id, workspaceId)
      .first<{ sha256: string }>(),
  );
  return file ? readContent(env, file.sha256) : undefined;
}

/**
 * SQL: a workspace has this file, both as SQL. For the statement that makes or changes a record that
 * uses it: then the file cannot be deleted meanwhile.
 */
export function fileExists(id: string, workspaceId: string): string {
  return `EXISTS (SELECT 1 FROM files WHERE files.id = ${id} AND files.workspace_id = ${workspaceId})`;
}

/** SQL: a workspace has all files of a JSON list of ids, both as SQL. An empty list: true. */
export function filesExist(ids: string, workspaceId: string): string {
  return `NOT EXISTS (SELECT 1 FROM json_each(${ids}) AS named
    WHERE NOT ${fileExists("named.value", workspaceId)})`;
}

/** Something that uses files: they are not deleted meanwhile. */
export interface FileUser {
  /** What it is, for people: `QR code`. */
  name: string;
  /** SQL: nothing of it uses the file, whose id is given as SQL. */
  unused(id: string): string;
  /** The ids of the first that use a file, at most so many. */
  findUses(ctx: Context, id: string, most: number): Promise<string[]>;
}
