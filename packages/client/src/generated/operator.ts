// Made by `npm run client` from the API description: change that, not this.
import { Core, path } from "../core.ts";
import type { List } from "../list.ts";
import type { ClientOptions, RequestOptions } from "../options.ts";
import type * as T from "./types.ts";
export type WorkspacesMembersListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type WorkspacesKeysListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type WorkspacesHooksListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type WorkspacesEventsCreateAnswer = {
  id: string;
};

export type WorkspacesEventsBatchAnswer = {
  id: string;
}[];

export type WorkspacesCreateAnswer = T.Workspace & {
  owner: T.Member;
};

export type WorkspacesListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export type ReportsListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
  /** Only reports of this status. */
  status?: T.ReportStatus;
};

export type DeadLettersListQuery = {
  /** How many records to answer at most. */
  limit?: number;
  /** The `next_cursor` of the page before; blank: the first page. */
  cursor?: string;
};

export class WorkspacesMembers {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Add a member.
   *
   * An e-mail address is one member's, whatever its case: safe to send again.
   */
  create(workspaceId: string, body: T.CreateMember, options?: RequestOptions): Promise<T.Member> {
    return this.#core.request(
      "POST",
      path`/admin/v1/workspaces/${workspaceId}/members`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * List members.
   *
   * Those who were not removed.
   */
  list(
    workspaceId: string,
    query?: WorkspacesMembersListQuery,
    options?: RequestOptions,
  ): List<T.Member> {
    return this.#core.list(path`/admin/v1/workspaces/${workspaceId}/members`, query, 100, options);
  }

  /**
   * Read a member.
   *
   * One who was removed is 404.
   */
  get(workspaceId: string, memberId: string, options?: RequestOptions): Promise<T.Member> {
    return this.#core.request(
      "GET",
      path`/admin/v1/workspaces/${workspaceId}/members/${memberId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Change a member's role.
   *
   * The member's keys may do less, or more, from the next request on. The only owner stays one: 409.
   */
  update(
    workspaceId: string,
    memberId: string,
    body: T.UpdateMember,
    options?: RequestOptions,
  ): Promise<T.Member> {
    return this.#core.request(
      "PATCH",
      path`/admin/v1/workspaces/${workspaceId}/members/${memberId}`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * Remove a member.
   *
   * The member's keys answer 403 from the next request on. The only owner stays: 409.
   */
  delete(workspaceId: string, memberId: string, options?: RequestOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/admin/v1/workspaces/${workspaceId}/members/${memberId}`,
      { answer: "nothing" },
      options,
    );
  }
}

export class WorkspacesKeys {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Issue a key.
   *
   * It is shown in this answer only: what is stored is a hash of it. What it may do is what both it and its member's role may.
   */
  create(
    workspaceId: string,
    body: T.CreateApiKey,
    options?: RequestOptions,
  ): Promise<
    T.ApiKey & {
      /** Shown this once. */
      key: string;
    }
  > {
    return this.#core.request(
      "POST",
      path`/admin/v1/workspaces/${workspaceId}/keys`,
      { answer: "merged", body },
      options,
    );
  }

  /**
   * List keys.
   *
   * Those that are revoked or expired too. The keys themselves are not stored.
   */
  list(
    workspaceId: string,
    query?: WorkspacesKeysListQuery,
    options?: RequestOptions,
  ): List<T.ApiKey> {
    return this.#core.list(path`/admin/v1/workspaces/${workspaceId}/keys`, query, 100, options);
  }

  /**
   * Revoke a key.
   *
   * It answers 401 from the next request on, and its automation hooks get nothing more.
   */
  delete(workspaceId: string, keyId: string, options?: RequestOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/admin/v1/workspaces/${workspaceId}/keys/${keyId}`,
      { answer: "nothing" },
      options,
    );
  }
}

export class WorkspacesHooks {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * List automation hooks.
   *
   * With whose each is. Those of keys that are over go when their place is needed.
   */
  list(
    workspaceId: string,
    query?: WorkspacesHooksListQuery,
    options?: RequestOptions,
  ): List<T.WorkspaceHook> {
    return this.#core.list(path`/admin/v1/workspaces/${workspaceId}/hooks`, query, 100, options);
  }

  /**
   * Remove an automation hook.
   *
   * Whatever key it belongs to. It gets nothing more.
   */
  delete(workspaceId: string, hookId: string, options?: RequestOptions): Promise<void> {
    return this.#core.request(
      "DELETE",
      path`/admin/v1/workspaces/${workspaceId}/hooks/${hookId}`,
      { answer: "nothing" },
      options,
    );
  }
}

export class WorkspacesLinks {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Switch a link off, or on again.
   *
   * For abuse: visitors get 410 within 10 seconds, also where the link is paused. The workspace cannot undo it: it can neither delete the link nor give it another address meanwhile. It may still delete the link's domain and connect the host again: to prevent that, suspend the workspace.
   */
  update(
    workspaceId: string,
    linkId: string,
    body: T.SwitchLink,
    options?: RequestOptions,
  ): Promise<T.Link> {
    return this.#core.request(
      "PATCH",
      path`/admin/v1/workspaces/${workspaceId}/links/${linkId}`,
      { answer: "data", body },
      options,
    );
  }
}

export class WorkspacesFiles {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Take a file's content out of service, or back into it.
   *
   * For abuse: its address answers 410 within a minute, whoever has or uploads the same content, and no workspace can undo it.
   */
  update(
    workspaceId: string,
    fileId: string,
    body: T.SwitchFile,
    options?: RequestOptions,
  ): Promise<T.SwitchedFile> {
    return this.#core.request(
      "PATCH",
      path`/admin/v1/workspaces/${workspaceId}/files/${fileId}`,
      { answer: "data", body },
      options,
    );
  }
}

export class WorkspacesPages {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Switch a page off, or on again.
   *
   * For abuse: visitors get 410 within 10 seconds, also where the page is paused. The workspace cannot undo it: it can neither take the page off line or delete it nor give it another address meanwhile. It may still delete the page's domain and connect the host again: to prevent that, suspend the workspace. A draft has no visitors: they get 404, as before.
   */
  update(
    workspaceId: string,
    pageId: string,
    body: T.SwitchPage,
    options?: RequestOptions,
  ): Promise<T.Page> {
    return this.#core.request(
      "PATCH",
      path`/admin/v1/workspaces/${workspaceId}/pages/${pageId}`,
      { answer: "data", body },
      options,
    );
  }
}

export class WorkspacesEvents {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Put an event into a workspace's stream.
   *
   * For the platform's other products: whoever is subscribed to the event is told of it. With an `id` it is safe to send again.
   */
  create(
    workspaceId: string,
    body: T.PublishEvent,
    options?: RequestOptions,
  ): Promise<WorkspacesEventsCreateAnswer> {
    return this.#core.request(
      "POST",
      path`/admin/v1/workspaces/${workspaceId}/events`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * Put many events into a workspace's stream.
   *
   * All of them, or none: one that is wrong is named as `events.3.data.title`.
   */
  batch(
    workspaceId: string,
    body: T.PublishEvents,
    options?: RequestOptions,
  ): Promise<WorkspacesEventsBatchAnswer> {
    return this.#core.request(
      "POST",
      path`/admin/v1/workspaces/${workspaceId}/events/batch`,
      { answer: "data", body },
      options,
    );
  }
}

export class WorkspacesMessages {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Record what a contact wrote.
   *
   * Opens the contact's messaging window for 24 hours; told as `salesbot.message.received` and, as the contact changes, `salesbot.contact.updated`.
   */
  inbound(
    workspaceId: string,
    body: T.InboundMessage,
    options?: RequestOptions,
  ): Promise<T.Message> {
    return this.#core.request(
      "POST",
      path`/admin/v1/workspaces/${workspaceId}/messages/inbound`,
      { answer: "data", body },
      options,
    );
  }
}

export class Workspaces {
  readonly #core: Core;
  readonly members: WorkspacesMembers;
  readonly keys: WorkspacesKeys;
  readonly hooks: WorkspacesHooks;
  readonly links: WorkspacesLinks;
  readonly files: WorkspacesFiles;
  readonly pages: WorkspacesPages;
  readonly events: WorkspacesEvents;
  readonly messages: WorkspacesMessages;

  constructor(core: Core) {
    this.#core = core;
    this.members = new WorkspacesMembers(core);
    this.keys = new WorkspacesKeys(core);
    this.hooks = new WorkspacesHooks(core);
    this.links = new WorkspacesLinks(core);
    this.files = new WorkspacesFiles(core);
    this.pages = new WorkspacesPages(core);
    this.events = new WorkspacesEvents(core);
    this.messages = new WorkspacesMessages(core);
  }

  /**
   * Create a workspace.
   *
   * An `owner` member is made for it.
   */
  create(body: T.CreateWorkspace, options?: RequestOptions): Promise<WorkspacesCreateAnswer> {
    return this.#core.request(
      "POST",
      path`/admin/v1/workspaces`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * List workspaces.
   *
   * All of this Signpost, suspended ones too.
   */
  list(query?: WorkspacesListQuery, options?: RequestOptions): List<T.Workspace> {
    return this.#core.list(path`/admin/v1/workspaces`, query, 100, options);
  }

  /**
   * Read a workspace.
   *
   * Its plan, its features, and whether it is suspended.
   */
  get(workspaceId: string, options?: RequestOptions): Promise<T.Workspace> {
    return this.#core.request(
      "GET",
      path`/admin/v1/workspaces/${workspaceId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Suspend a workspace, change its plan or its features.
   *
   * The API knows on the next request; links of a suspended workspace answer 410 within 10 seconds. Of a suspended workspace, or of a feature that is off, nothing is delivered or sent: what waits goes on, a few thousand a minute, when that ends. 409: it is being deleted.
   */
  update(
    workspaceId: string,
    body: T.UpdateWorkspace = {},
    options?: RequestOptions,
  ): Promise<T.Workspace> {
    return this.#core.request(
      "PATCH",
      path`/admin/v1/workspaces/${workspaceId}`,
      { answer: "data", body },
      options,
    );
  }

  /**
   * Delete a workspace and all that is stored of it.
   *
   * It cannot be undone. The workspace is suspended at once, as by `PATCH`, and stays so: the API refuses its keys, its links answer 410 within 10 seconds, nothing is delivered or sent any more. Then a job erases all that is stored of it, up to 15,000 records a minute of all that are being deleted (300 of links and QR codes), and the workspace itself; an hour after that it looks once more, for what was on its way. Its files are removed from R2 within some days. `GET …/deletion` says how far it is. Sent again, the answer is the deletion as it stands.
   */
  delete(workspaceId: string, options?: RequestOptions): Promise<T.WorkspaceDeletion> {
    return this.#core.request(
      "DELETE",
      path`/admin/v1/workspaces/${workspaceId}`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Read how far the deletion of a workspace is.
   *
   * Also when the workspace is gone. 404: nobody deleted it.
   */
  deletion(workspaceId: string, options?: RequestOptions): Promise<T.WorkspaceDeletion> {
    return this.#core.request(
      "GET",
      path`/admin/v1/workspaces/${workspaceId}/deletion`,
      { answer: "data" },
      options,
    );
  }

  /**
   * Read what a workspace uses.
   *
   * From counts that are kept: it costs the same however much is stored. Counting began on 2026-11-22; what was stored before is counted by a job, within days.
   */
  usage(workspaceId: string, options?: RequestOptions): Promise<T.Usage> {
    return this.#core.request(
      "GET",
      path`/admin/v1/workspaces/${workspaceId}/usage`,
      { answer: "data" },
      options,
    );
  }
}

export class Overview {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Read what all workspaces use together.
   *
   * Of all of this Signpost, from counts that are kept: what it costs grows with how many workspaces there are (five rows read of each), not with what they store. People's clicks are in each workspace's ledger, and so only in its own usage: `GET /admin/v1/workspaces/{workspace}/usage`.
   */
  get(options?: RequestOptions): Promise<T.OperatorOverview> {
    return this.#core.request("GET", path`/admin/v1/overview`, { answer: "data" }, options);
  }
}

export class Reports {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * List what visitors reported.
   *
   * Reports of pages and short links, sent with the form at `/_report` of any host. A page or a link has at most 20 open ones: further ones are thanked for, and not kept. A report is kept for 180 days after its last change. Who reported is not stored.
   */
  list(query?: ReportsListQuery, options?: RequestOptions): List<T.Report> {
    return this.#core.list(path`/admin/v1/reports`, query, 100, options);
  }

  /**
   * Resolve, dismiss or reopen a report.
   *
   * This alone switches nothing off: see `PATCH /admin/v1/workspaces/{workspace}/pages/{page}` and `…/links/{link}`.
   */
  update(reportId: string, body: T.ChangeReport = {}, options?: RequestOptions): Promise<T.Report> {
    return this.#core.request(
      "PATCH",
      path`/admin/v1/reports/${reportId}`,
      { answer: "data", body },
      options,
    );
  }
}

export class DeadLetters {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * List what could never be processed.
   *
   * Queue messages that failed for days, and records that jobs set aside so that they hold up nothing else. Kept for 30 days.
   */
  list(query?: DeadLettersListQuery, options?: RequestOptions): List<T.DeadLetter> {
    return this.#core.list(path`/admin/v1/dead-letters`, query, 100, options);
  }
}

export class SignpostOperator {
  readonly workspaces: Workspaces;
  readonly overview: Overview;
  readonly reports: Reports;
  readonly deadLetters: DeadLetters;

  constructor({
    adminToken,
    ...options
  }: ClientOptions & {
    /** The operator's `ADMIN_TOKEN`. */ adminToken: string | null;
  }) {
    const core = new Core(options, adminToken);
    this.workspaces = new Workspaces(core);
    this.overview = new Overview(core);
    this.reports = new Reports(core);
    this.deadLetters = new DeadLetters(core);
  }
}
