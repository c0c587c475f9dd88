/** What other features' statements need of the pixels table. */

/** SQL that gives a JSON list of the workspace's pixels that a JSON list of ids names. */
export function chosenPixels(ids: string, workspaceId: string): string {
  return `(SELECT json_group_array(json_object('provider', pixels.provider, 'tag', pixels.tag))
    FROM json_each(${ids}) AS chosen
    JOIN pixels ON pixels.id = chosen.value AND pixels.workspace_id = ${workspaceId})`;
}
