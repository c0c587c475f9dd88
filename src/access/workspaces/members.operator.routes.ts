import type { Api } from "../../api/api.ts";
import { PageQuery, toList, toPageRequest } from "../../api/pagination.ts";
import { inWorkspace } from "../../platform/context/context.ts";
import { OPERATOR_TAG, operatorRoute, WORKSPACE_PATH } from "../operator/operator-route.ts";
import {
  CreateMember,
  MemberAnswer,
  MemberList,
  MemberParams,
  UpdateMember,
} from "./members.schemas.ts";
import {
  addMember,
  changeRole,
  getMember,
  listMembers,
  presentMember,
  removeMember,
} from "./members.service.ts";
import { WorkspaceParams } from "./workspaces.schemas.ts";
import { workIn } from "./workspaces.service.ts";

const MEMBERS_PATH = `${WORKSPACE_PATH}/members`;
const MEMBER_PATH = `${MEMBERS_PATH}/{member}`;

export function addMemberRoutes(api: Api): void {
  operatorRoute(
    api,
    {
      method: "post",
      path: MEMBERS_PATH,
      operationId: "addMember",
      tag: OPERATOR_TAG,
      summary: "Add a member",
      description: "An e-mail address is one member's, whatever its case: safe to send again.",
      params: WorkspaceParams,
      body: CreateMember,
      success: { status: 201, description: "The member.", schema: MemberAnswer },
    },
    async (request) => {
      const ctx = await workIn(request.ctx, request.params.workspace);
      const member = await addMember(ctx, request.body());
      return { body: { data: presentMember(member) } };
    },
  );

  operatorRoute(
    api,
    {
      method: "get",
      path: MEMBERS_PATH,
      operationId: "listMembers",
      tag: OPERATOR_TAG,
      summary: "List members",
      description: "Those who were not removed.",
      params: WorkspaceParams,
      query: PageQuery,
      success: { status: 200, description: "Newest first.", schema: MemberList },
    },
    async (request) => {
      const ctx = await workIn(request.ctx, request.params.workspace);
      const page = toPageRequest(request.query);
      return { body: toList(await listMembers(ctx, page), page, presentMember) };
    },
  );

  operatorRoute(
    api,
    {
      method: "get",
      path: MEMBER_PATH,
      operationId: "getMember",
      tag: OPERATOR_TAG,
      summary: "Read a member",
      description: "One who was removed is 404.",
      params: MemberParams,
      success: { status: 200, description: "The member.", schema: MemberAnswer },
    },
    async (request) => {
      const { workspace, member: id } = request.params;
      const member = await getMember(inWorkspace(request.ctx, workspace), id);
      return { body: { data: presentMember(member) } };
    },
  );

  operatorRoute(
    api,
    {
      method: "patch",
      path: MEMBER_PATH,
      operationId: "changeRole",
      tag: OPERATOR_TAG,
      summary: "Change a member's role",
      description:
        "The member's keys may do less, or more, from the next request on. The only owner stays one: 409.",
      errors: ["conflict"],
      params: MemberParams,
      body: UpdateMember,
      success: { status: 200, description: "The member as it is now.", schema: MemberAnswer },
    },
    async (request) => {
      const ctx = inWorkspace(request.ctx, request.params.workspace);
      const found = await getMember(ctx, request.params.member);
      const member = await changeRole(ctx, found, request.body().role);
      return { body: { data: presentMember(member) } };
    },
  );

  operatorRoute(
    api,
    {
      method: "delete",
      path: MEMBER_PATH,
      operationId: "removeMember",
      tag: OPERATOR_TAG,
      summary: "Remove a member",
      description:
        "The member's keys answer 403 from the next request on. The only owner stays: 409.",
      errors: ["conflict"],
      params: MemberParams,
      success: { status: 204, description: "Removed." },
    },
    async (request) => {
      const { workspace, member } = request.params;
      await removeMember(inWorkspace(request.ctx, workspace), member);
      return {};
    },
  );
}
