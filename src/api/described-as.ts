import { z } from "@hono/zod-openapi";

interface Def extends z.core.$ZodLazyDef {
  judge: z.ZodType;
}

/** What is lazy is described as what it leads to: so is this, and another schema judges. */
const DescribedAs = z.core.$constructor<z.ZodLazy, Def>("DescribedAs", (schema, def) => {
  z.ZodLazy.init(schema, def);
  schema._zod.parse = (payload, context) => def.judge._zod.run(payload, context);
  // zod-to-openapi's isNullable and isOptional ask with these two values, when it is described.
  const isAsked = (value: unknown) => value === null || value === undefined;
  schema.safeParse = (value, params) =>
    (isAsked(value) ? (def.getter() as z.ZodType) : def.judge).safeParse(value, params);
});

/**
 * Judged by one schema and described as another, which says more than the judge: what is right, where
 * more is taken, and dropped or told of by itself; or forms that no faults could be told of apart.
 */
export function describedAs<Judge extends z.ZodType>(
  described: z.ZodType,
  judge: Judge,
): z.ZodType<z.output<Judge>, z.input<Judge>> {
  const schema = new DescribedAs({ type: "lazy", getter: () => described, judge });
  return schema as z.ZodType as z.ZodType<z.output<Judge>, z.input<Judge>>;
}
