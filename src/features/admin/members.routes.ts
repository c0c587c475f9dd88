import type { Api } from "../../http/api.ts";
import {
  CreateMember,
  MemberAnswer,
  MemberParams,
  UpdateMember,
} from "../members/members.schemas.ts";
import { addMember, changeRole, presentMember, removeMember } from "../members/members.service.ts";
import { WorkspaceParams } from "../workspaces/workspaces.schemas.ts";
import { getWorkspace } from "../workspaces/workspaces.service.ts";
import { OPERATOR_TAG, operatorRoute, WORKSPACE_PATH } from "./operator-route.ts";

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
      params: WorkspaceParams,
      body: CreateMember,
      success: { status: 201, description: "The member.", schema: MemberAnswer },
    },
    async (request) => {
      const { id } = await getWorkspace(request.db, request.params.workspace);
      const member = await addMember(request.db, id, request.body());
      return { status: 201, body: { data: presentMember(member) } };
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
      description: "The member's keys may do less, or more, from the next request on.",
      params: MemberParams,
      body: UpdateMember,
      success: { status: 200, description: "The member as it is now.", schema: MemberAnswer },
    },
    async (request) => {
      const { workspace, member: id } = request.params;
      const { role } = request.body();
      const member = await changeRole(request.env, request.db, workspace, id, role);
      return { status: 200, body: { data: presentMember(member) } };
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
      description: "The member's keys answer 403 from the next request on.",
      params: MemberParams,
      success: { status: 204, description: "Removed." },
    },
    async (request) => {
      const { workspace, member } = request.params;
      await removeMember(request.env, request.db, workspace, member);
      return { status: 204 };
    },
  );
}
