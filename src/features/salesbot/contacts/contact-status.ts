/** Whether a contact may be written to. */
export const CONTACT_STATUSES = ["active", "opted_out", "blocked"] as const;
export type ContactStatus = (typeof CONTACT_STATUSES)[number];
