export const FEATURES = ["biolinks", "salesbot", "publishing", "webhooks", "automation"] as const;
export type Feature = (typeof FEATURES)[number];

export const PERMISSIONS = [
  "biolinks:links:read",
  "biolinks:links:write",
  "biolinks:domains:read",
  "biolinks:domains:manage",
  "biolinks:pixels:read",
  "biolinks:pixels:write",
  "biolinks:qr:read",
  "biolinks:qr:write",
  "biolinks:files:read",
  "biolinks:files:write",
  "biolinks:catalogue:read",
  "biolinks:catalogue:write",
  "biolinks:pages:read",
  "biolinks:pages:write",
  // Beside `write`: to say what visitors get.
  "biolinks:pages:publish",
  "biolinks:submissions:read",
  "biolinks:submissions:write",
  "biolinks:analytics:read",
  "salesbot:contacts:read",
  "salesbot:contacts:write",
  // Beside `write`: to undo an opt-out, and to say when a contact wrote.
  "salesbot:contacts:consent",
  "salesbot:messages:send",
  "salesbot:automation:hooks",
  "biolinks:webhooks:subscribe",
  "salesbot:webhooks:subscribe",
  "publishing:webhooks:subscribe",
  "workspace:webhooks:subscribe",
  "webhooks:read",
  "webhooks:write",
  "webhooks:deliveries:read",
  "webhooks:deliveries:retry",
] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const ROLES = ["owner", "admin", "editor", "viewer"] as const;
export type Role = (typeof ROLES)[number];

const VIEWER: readonly Permission[] = [
  "biolinks:links:read",
  "biolinks:domains:read",
  "biolinks:pixels:read",
  "biolinks:qr:read",
  "biolinks:files:read",
  "biolinks:catalogue:read",
  "biolinks:pages:read",
  "biolinks:submissions:read",
  "biolinks:analytics:read",
  "salesbot:contacts:read",
  "webhooks:read",
  "webhooks:deliveries:read",
];

const EDITOR: readonly Permission[] = [
  ...VIEWER,
  "biolinks:links:write",
  "biolinks:pixels:write",
  "biolinks:qr:write",
  "biolinks:files:write",
  "biolinks:catalogue:write",
  "biolinks:pages:write",
  "biolinks:submissions:write",
  "salesbot:contacts:write",
  "salesbot:messages:send",
  // Those of all products: an editor sees each event and endpoint that there is.
  ...PERMISSIONS.filter((name) => name.endsWith(":webhooks:subscribe")),
];

export const ROLE_PERMISSIONS: Record<Role, readonly Permission[]> = {
  owner: PERMISSIONS,
  admin: PERMISSIONS,
  editor: EDITOR,
  viewer: VIEWER,
};

/** What a key may do now: its own permissions (`*` for all) that its member's role has too. */
export function effectivePermissions(granted: readonly string[], role: Role): Permission[] {
  const ofRole = ROLE_PERMISSIONS[role];
  return granted.includes("*") ? [...ofRole] : ofRole.filter((name) => granted.includes(name));
}
