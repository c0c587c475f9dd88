import { z } from "@hono/zod-openapi";

/** A field named `__proto__` is lost on its way through JavaScript, so none may be. */
const LOST = "__proto__";
const FieldName = z.string().regex(new RegExp(`^(?!${LOST}$)`));

/**
 * The same schema, refusing fields that it does not name, at every depth: what is checked is then
 * what its JSON Schema says, `additionalProperties: false` included.
 */
export function closedObject<Schema extends z.ZodObject>(schema: Schema): Schema {
  const fields = Object.entries(schema.shape as Record<string, z.core.$ZodType>);
  const shape = Object.fromEntries(fields.map(([name, field]) => [name, closed(field)]));
  return z.strictObject(shape) as z.ZodObject as Schema;
}

function closed(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodObject) return closedObject(schema);
  if (schema instanceof z.ZodNullable) return z.nullable(closed(schema.def.innerType));
  if (schema instanceof z.ZodOptional) return z.optional(closed(schema.def.innerType));
  if (schema instanceof z.ZodArray) {
    return schema.clone({ ...schema.def, element: closed(schema.def.element) });
  }
  if (schema instanceof z.ZodRecord) return z.record(FieldName, closed(schema.def.valueType));
  if (schema instanceof z.ZodUnion) return z.union(schema.def.options.map(closed));
  return schema;
}

/** Whether data holds, at any depth, a field that zod would not see. */
export function hasLostField(data: unknown): boolean {
  if (typeof data !== "object" || data === null) return false;
  return Object.hasOwn(data, LOST) || Object.values(data).some(hasLostField);
}
