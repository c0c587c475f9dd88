export interface Conditions {
  match: "all" | "any";
  groups: unknown[];
}
