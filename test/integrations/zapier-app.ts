/** Signpost as an integration of Zapier: a key, a trigger on any event, and an action. */
import { type Authentication, type Bundle, version, type ZObject } from "zapier-platform-core";

interface Refusal {
  message: string;
  errors?: Record<string, string[]>;
}

const at = (bundle: Bundle, path: string) => `${bundle.authData.address}${path}`;

const authentication = {
  type: "custom",
  fields: [
    { key: "address", label: "Address of Signpost", type: "string", required: true },
    { key: "key", label: "Workspace Key", type: "password", required: true },
  ],
  test: async (z: ZObject, bundle: Bundle) =>
    (await z.request(at(bundle, "/automation/me"))).data.data,
  connectionLabel: async (_z: ZObject, bundle: Bundle) =>
    `${bundle.inputData.workspace_name} (${bundle.inputData.key_name})`,
} satisfies Authentication;

// biome-ignore lint/suspicious/noExplicitAny: requests and answers have other types at each place that takes these
function addKey(request: any, _z: ZObject, bundle: Bundle) {
  request.headers.Authorization = `Bearer ${bundle.authData.key}`;
  return request;
}

/** What Zapier shows to whoever made the Zap. */
// biome-ignore lint/suspicious/noExplicitAny: as above
function explain(response: any, z: ZObject) {
  if (response.status < 400) return response;
  const { message, errors } = response.data as Refusal;
  const fields = Object.entries(errors ?? {}).map(([name, texts]) => `${name}: ${texts.join(" ")}`);
  throw new z.errors.Error([message, ...fields].join(" "), response.data.code, response.status);
}

/** Fills the menu of events. */
const eventTypes = {
  key: "event_types",
  noun: "Event Type",
  display: { label: "New Event Type", description: "Lists what can be waited for.", hidden: true },
  operation: {
    type: "polling" as const,
    perform: async (z: ZObject, bundle: Bundle) => {
      const { data } = await z.request(at(bundle, "/automation/me"));
      const events: { event: string; description: string }[] = data.data.events;
      return events.map(({ event, description }) => ({ id: event, name: description }));
    },
  },
};

const event = {
  key: "event",
  noun: "Event",
  display: { label: "New Event", description: "Triggers when something happened in Signpost." },
  operation: {
    type: "hook" as const,
    inputFields: [
      {
        key: "event",
        label: "Event",
        type: "string" as const,
        required: true,
        dynamic: "event_types.id.name",
      },
    ],
    performSubscribe: async (z: ZObject, bundle: Bundle) => {
      const body = { target_url: bundle.targetUrl, event: bundle.inputData.event };
      const url = at(bundle, "/automation/subscribe");
      return (await z.request({ method: "POST", url, body })).data.data;
    },
    performUnsubscribe: async (z: ZObject, bundle: Bundle) => {
      const body = { id: bundle.subscribeData?.id };
      await z.request({ method: "POST", url: at(bundle, "/automation/unsubscribe"), body });
      return {};
    },
    performList: async (z: ZObject, bundle: Bundle) =>
      (await z.request(at(bundle, `/automation/sample/${bundle.inputData.event}`))).data,
    perform: (_z: ZObject, bundle: Bundle) => [bundle.cleanedRequest],
    sample: {
      id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1102",
      event: "salesbot.contact.created",
      occurred_at: "2026-11-20T08:00:00.000Z",
    },
  },
};

const contact = {
  key: "contact",
  noun: "Contact",
  display: { label: "Create Contact", description: "Creates a contact in the workspace." },
  operation: {
    inputFields: [
      { key: "name", label: "Name", type: "string" as const, required: true },
      { key: "email", label: "Email", type: "string" as const },
    ],
    perform: async (z: ZObject, bundle: Bundle) => {
      const { name, email } = bundle.inputData;
      const url = at(bundle, "/api/v1/contacts");
      return (await z.request({ method: "POST", url, body: { name, email } })).data.data;
    },
    sample: { id: "0198c5f2-7c1e-7a4b-9d35-5b1f6c0e1102", name: "Ada" },
  },
};

export default {
  version: "1.0.0",
  platformVersion: version,
  authentication,
  beforeRequest: [addKey],
  afterResponse: [explain],
  triggers: { [eventTypes.key]: eventTypes, [event.key]: event },
  creates: { [contact.key]: contact },
};
