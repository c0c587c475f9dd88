-- What tells of a post that went out keeps it among its workspace's last 12, and has the published
-- pages that show these drawn anew. In the event's own transaction, whoever writes it; a test's is none.
CREATE TRIGGER `latest_posts_of_event` AFTER INSERT ON `events`
-- Data that is no JSON keeps no event from being written: its deliveries end by themselves.
WHEN NEW.type = 'publishing.post.published' AND NEW.test = 0 AND json_valid(NEW.data) BEGIN
  -- What is too long to be shown is cut, or left out (in bytes, as a text's length ends at a NUL), and so is a URL with credentials: a post
  -- of which nothing is left to show takes no place.
  INSERT INTO latest_posts (workspace_id, post_id, event_id, title, url, network, published_at)
  SELECT NEW.workspace_id, post_id, NEW.id, title, url, network, min(coalesce(published_at, NEW.created_at), NEW.created_at) FROM (SELECT
    CASE WHEN length(CAST(NEW.data ->> '$.id' AS BLOB)) <= 200 AND trim(NEW.data ->> '$.id') <> '' THEN NEW.data ->> '$.id' ELSE NEW.id END AS post_id,
    nullif(substr(trim(NEW.data ->> '$.title', char(9, 10, 11, 12, 13, 32, 160, 8203, 12288, 65279)), 1, 200), '') AS title,
    CASE WHEN length(NEW.data ->> '$.url') <= 2048 AND instr(substr(NEW.data ->> '$.url', 1,
      8 + instr(replace(replace(substr(NEW.data ->> '$.url', 9), '?', '/'), '#', '/') || '/', '/')), '@') = 0
      THEN nullif(trim(NEW.data ->> '$.url'), '') END AS url,
    CASE WHEN length(CAST(NEW.data ->> '$.networks[0]' AS BLOB)) <= 40 THEN NEW.data ->> '$.networks[0]' END AS network,
    CAST(round(unixepoch(NEW.data ->> '$.published_at', 'subsec') * 1000) AS INTEGER) AS published_at
  ) WHERE coalesce(title, url) IS NOT NULL
  ON CONFLICT (workspace_id, post_id) DO UPDATE SET event_id = excluded.event_id, title = excluded.title,
    url = excluded.url, network = excluded.network, published_at = excluded.published_at;
  INSERT INTO page_redraws (page_id, workspace_id, mark, due_at)
  SELECT page_id, NEW.workspace_id, NULL, unixepoch() * 1000 - 5000 FROM page_products WHERE target_id = NEW.workspace_id
    AND EXISTS (SELECT 1 FROM latest_posts WHERE workspace_id = NEW.workspace_id AND event_id = NEW.id)
  ON CONFLICT (page_id) DO UPDATE SET mark = NULL, due_at = min(page_redraws.due_at, excluded.due_at) WHERE mark IS NOT NULL;
  DELETE FROM latest_posts WHERE workspace_id = NEW.workspace_id AND post_id IN (
    SELECT post_id FROM latest_posts WHERE workspace_id = NEW.workspace_id
    ORDER BY published_at DESC, event_id DESC LIMIT -1 OFFSET 12);
END;
--> statement-breakpoint
-- Posts of before, of the 100,000 newest events that are still kept: so few that it takes less than a second.
INSERT INTO latest_posts (workspace_id, post_id, event_id, title, url, network, published_at)
SELECT workspace_id, post_id, event_id, title, url, network, published_at FROM (
  SELECT *, row_number() OVER (PARTITION BY workspace_id ORDER BY published_at DESC, event_id DESC) AS place FROM (
    SELECT workspace_id, post_id, event_id, title, url, network, min(coalesce(published_at, created_at), created_at) AS published_at,
      row_number() OVER (PARTITION BY workspace_id, post_id ORDER BY told DESC) AS again
    FROM (SELECT told, workspace_id, event_id, created_at,
    CASE WHEN length(CAST(data ->> '$.id' AS BLOB)) <= 200 AND trim(data ->> '$.id') <> '' THEN data ->> '$.id' ELSE event_id END AS post_id,
    nullif(substr(trim(data ->> '$.title', char(9, 10, 11, 12, 13, 32, 160, 8203, 12288, 65279)), 1, 200), '') AS title,
    CASE WHEN length(data ->> '$.url') <= 2048 AND instr(substr(data ->> '$.url', 1,
      8 + instr(replace(replace(substr(data ->> '$.url', 9), '?', '/'), '#', '/') || '/', '/')), '@') = 0
      THEN nullif(trim(data ->> '$.url'), '') END AS url,
    CASE WHEN length(CAST(data ->> '$.networks[0]' AS BLOB)) <= 40 THEN data ->> '$.networks[0]' END AS network,
    CAST(round(unixepoch(data ->> '$.published_at', 'subsec') * 1000) AS INTEGER) AS published_at
      FROM (SELECT rowid AS told, workspace_id, id AS event_id, created_at, CASE WHEN json_valid(data) THEN data END AS data
        FROM events WHERE rowid > (SELECT max(rowid) FROM events) - 100000 AND type = 'publishing.post.published' AND test = 0))
    WHERE coalesce(title, url) IS NOT NULL
  ) WHERE again = 1
) WHERE place <= 12
ON CONFLICT DO NOTHING;
