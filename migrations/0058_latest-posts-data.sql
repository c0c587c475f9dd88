-- What tells of a post that went out keeps it among its workspace's last 12, and has the published
-- pages that show these drawn anew. In the event's own transaction, whoever writes it; a test's is none.
CREATE TRIGGER `latest_posts_of_event` AFTER INSERT ON `events`
WHEN NEW.type = 'publishing.post.published' AND NEW.test = 0
  -- Data that is no JSON keeps no event from being written: its deliveries end by themselves.
  AND CASE WHEN json_valid(NEW.data) THEN coalesce(NEW.data ->> '$.title', NEW.data ->> '$.url') END IS NOT NULL BEGIN
  -- What is too long to be shown is cut, or left out: so the rows of a workspace are small and few.
  INSERT INTO latest_posts (workspace_id, post_id, event_id, title, url, network, published_at)
  VALUES (
    NEW.workspace_id,
    iif(length(NEW.data ->> '$.id') <= 200, NEW.data ->> '$.id', NEW.id),
    NEW.id,
    nullif(trim(substr(NEW.data ->> '$.title', 1, 200)), ''),
    iif(length(NEW.data ->> '$.url') <= 2048, NEW.data ->> '$.url', NULL),
    iif(length(NEW.data ->> '$.networks[0]') <= 40, NEW.data ->> '$.networks[0]', NULL),
    min(coalesce(CAST(round(unixepoch(NEW.data ->> '$.published_at', 'subsec') * 1000) AS INTEGER), NEW.created_at), NEW.created_at)
  )
  ON CONFLICT (workspace_id, post_id) DO UPDATE SET event_id = excluded.event_id, title = excluded.title,
    url = excluded.url, network = excluded.network, published_at = excluded.published_at;
  DELETE FROM latest_posts WHERE workspace_id = NEW.workspace_id AND post_id IN (
    SELECT post_id FROM latest_posts WHERE workspace_id = NEW.workspace_id
    ORDER BY published_at DESC, event_id DESC LIMIT -1 OFFSET 12);
  INSERT INTO page_redraws (page_id, workspace_id, mark, due_at)
  SELECT page_id, NEW.workspace_id, NULL, unixepoch() * 1000 - 5000 FROM page_products WHERE target_id = NEW.workspace_id
  ON CONFLICT (page_id) DO UPDATE SET mark = NULL, due_at = min(page_redraws.due_at, excluded.due_at) WHERE mark IS NOT NULL;
END;
