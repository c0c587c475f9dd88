import type { Access } from "../../../access/gate/admission.ts";

export const readCatalogue: Access = {
  feature: "biolinks",
  permission: "biolinks:catalogue:read",
  idempotencyKey: "unused",
};
export const writeCatalogue: Access = {
  ...readCatalogue,
  permission: "biolinks:catalogue:write",
};
