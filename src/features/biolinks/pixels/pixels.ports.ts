/** What other features' statements need of pixels, and what pixels need of those that use them. */
import type { Context } from "../../../platform/context/context.ts";

/**
 * SQL that gives a JSON list of the workspace's pixels that a JSON list of ids names, as visitors
 * meet them: none that is switched off, or being deleted.
 */
export function chosenPixels(ids: string, workspaceId: string): string {
  return `(SELECT json_group_array(json_object('id', pixels.id, 'provider', pixels.provider,
      'tag', pixels.tag, 'consent', pixels.consent,
      'server', json(iif(pixels.access_token IS NULL, 'false', 'true'))))
    FROM json_each(${ids}) AS chosen
    CROSS JOIN pixels ON pixels.id = chosen.value AND pixels.workspace_id = ${workspaceId}
    WHERE pixels.enabled = 1 AND pixels.deleted_at IS NULL)`;
}

/** SQL of whether all that a JSON list of ids names are pixels of the workspace, none deleted. */
export function areOwnPixels(ids: string, workspaceId: string): string {
  return `NOT EXISTS (SELECT 1 FROM json_each(${ids}) AS chosen WHERE NOT EXISTS (
    SELECT 1 FROM pixels WHERE pixels.id = chosen.value
      AND pixels.workspace_id = ${workspaceId} AND pixels.deleted_at IS NULL))`;
}

/** How many use a pixel, counted up to a bound, and the first of them. */
export interface PixelUses {
  /** One more than the bound when there are more. */
  count: number;
  ids: string[];
}

/** Links and pages: what uses pixels. */
export interface PixelUsers {
  /** SQL: nothing uses the pixel, whose id is given as SQL. */
  unused(id: string): string;
  /** The first that use a pixel, and how many there are, counted no further than `most` + 1. */
  findUses(ctx: Context, id: string, bounds: { named: number; most: number }): Promise<PixelUses>;
  /** Takes a pixel from the next that use it. `limit`: there may be more; less: there are none. */
  takePixel(ctx: Context, id: string, limit: number): Promise<number>;
}
