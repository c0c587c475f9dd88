import { z } from "@hono/zod-openapi";
import { idParams } from "../../api/ids.ts";
import { listOf } from "../../api/pagination.ts";
import { CREATE_MEMBER, MEMBER } from "./members.examples.ts";
import { ROLES } from "./permissions.ts";

const Role = z.enum(ROLES).openapi("Role", {
  description:
    'What a member\'s keys may do: what both the key and the role may. The table "Roles" at the top says what each role may.',
});

export const Member = z
  .object({
    id: z.uuid(),
    email: z.string().nullable(),
    role: Role,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Member", { example: MEMBER });
export type Member = z.output<typeof Member>;

export const MemberAnswer = z.object({ data: Member });

export const CreateMember = z
  .strictObject({ email: z.email().max(254), role: Role })
  .openapi("CreateMember", { example: CREATE_MEMBER });
export type CreateMember = z.output<typeof CreateMember>;

export const UpdateMember = z
  .strictObject({ role: Role })
  .openapi("UpdateMember", { example: { role: "editor" } });

export const MemberList = listOf(Member);

export const MemberParams = idParams("workspace", "member");
