import { isUniqueConflict } from "../../db/faults.ts";
import { ApiError, invalid } from "../../http/errors.ts";
import type { ExpectedRevision } from "../../http/etag.ts";
import type { Page } from "../../http/pagination.ts";
import { ifUnchanged } from "../../http/unchanged.ts";
import { now } from "../../lib/clock.ts";
import { newRevision } from "../../lib/ids.ts";
import {
  assertLeadsElsewhere,
  blankLink,
  type LinkScope,
  linkOrigin,
  slugChanges,
  toChanges,
} from "./link-changes.ts";
import type { LinkRow } from "./links.repository.ts";
import * as repository from "./links.repository.ts";
import type { CreateLink, LinkFilter, UpdateLink } from "./links.schemas.ts";
import { forgetLink } from "./redirect/link-lookup.ts";
import { generateSlug } from "./slug.ts";

const MAX_TRIES = 5;

/** @throws 404 */
export async function getLink(scope: LinkScope, id: string): Promise<LinkRow> {
  const link = await repository.findLink(scope.db, scope.workspaceId, id);
  if (!link) throw new ApiError("not_found", { message: "There is no such link." });
  return link;
}

export async function listLinks(scope: LinkScope, filter: LinkFilter, page: Page) {
  return repository.listLinks(scope.db, scope.workspaceId, filter, page);
}

/**
 * Makes a link, paused. `identity` comes from the gate: a run that follows one that was cut off
 * has the same id, finds what that one committed, and answers as it would have.
 * @throws 422
 */
export async function createLink(
  scope: LinkScope,
  identity: { id: string; resumed: boolean },
  input: CreateLink,
): Promise<LinkRow> {
  const findMade = () => repository.findLink(scope.db, scope.workspaceId, identity.id);
  const made = identity.resumed ? await findMade() : undefined;
  if (made) return made;
  const blank = blankLink(scope.workspaceId, identity.id, now());
  const changes = await toChanges(scope, blank, input);
  for (let tries = 1; ; tries++) {
    const link = { ...blank, ...slugChanges(generateSlug()), ...changes };
    await assertLeadsElsewhere(scope, link);
    try {
      await repository.insertLink(scope.db, link);
      await forget(scope, link);
      return link;
    } catch (error) {
      if (!isUniqueConflict(error)) throw error;
      const twin = await findMade();
      if (twin) return twin;
      if (input.slug) throw slugTaken();
      if (tries === MAX_TRIES) throw error;
    }
  }
}

/** @throws 404, 412 when the link changed after its revision was matched, 422 */
export async function updateLink(
  scope: LinkScope,
  link: LinkRow,
  expected: ExpectedRevision,
  input: UpdateLink,
): Promise<LinkRow> {
  return ifUnchanged(
    link,
    expected,
    async (current) => {
      const changes = await toChanges(scope, current, input);
      await assertLeadsElsewhere(scope, { ...current, ...changes });
      const version = { revision: newRevision(), updatedAt: now() };
      const updated = await repository
        .updateLink(scope.db, current, { ...changes, ...version })
        .catch((error) => {
          throw isUniqueConflict(error) ? slugTaken() : error;
        });
      if (updated) await Promise.all([forget(scope, current), forget(scope, updated)]);
      return updated;
    },
    () => getLink(scope, link.id),
  );
}

/** @throws 404, 412 */
export async function deleteLink(
  scope: LinkScope,
  link: LinkRow,
  expected: ExpectedRevision,
): Promise<void> {
  await ifUnchanged(
    link,
    expected,
    async (current) => {
      const deleted = await repository.deleteLink(scope.db, current);
      if (deleted) await forget(scope, current);
      return deleted || undefined;
    },
    () => getLink(scope, link.id),
  );
}

/** The operator's switch. It changes the revision too: the workspace sees that something changed. */
export async function setLinkDisabled(
  scope: LinkScope,
  id: string,
  disabled: boolean,
): Promise<LinkRow> {
  const link = await getLink(scope, id);
  return ifUnchanged(
    link,
    { any: true },
    async (current) => {
      const version = { revision: newRevision(), updatedAt: now() };
      const updated = await repository.updateLink(scope.db, current, { disabled, ...version });
      if (updated) await forget(scope, updated);
      return updated;
    },
    () => getLink(scope, link.id),
  );
}

async function forget(scope: LinkScope, link: LinkRow): Promise<void> {
  const origin = await linkOrigin(scope, link.domainId);
  const host = link.domainId === null ? null : new URL(origin).host;
  await forgetLink(host, link.slugKey);
}

function slugTaken(): ApiError {
  return invalid("slug", "This slug is taken.");
}
