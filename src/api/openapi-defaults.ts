/**
 * Moves the default of a body's field into its words. Types are generated so that a field must be
 * there whose schema has its default right beside it, but a body may be without it.
 */
export function tellDefaults(schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  if ("properties" in schema) {
    for (const field of Object.values(schema.properties as Record<string, Field>)) {
      if (!("default" in field)) continue;
      const told = `Default: \`${JSON.stringify(field.default)}\`.`;
      field.description = field.description ? `${field.description} ${told}` : told;
      delete field.default;
    }
  }
  for (const inner of Object.values(schema)) tellDefaults(inner);
}

interface Field {
  default?: unknown;
  description?: string;
}
