/** What a Worker needs before it is live; the others are the operator's choice. */
export const SECRETS = ["ENCRYPTION_KEY", "ADMIN_TOKEN"] as const;
export type SecretName = (typeof SECRETS)[number];
