/** The message connector of `npm start`: verifies each message and prints it, once. */
import { Webhook } from "standardwebhooks";
import { z } from "zod";
import { printable } from "./printable.ts";

const Text = z.string().nullable();
const Message = z.object({
  id: z.string(),
  contact: z.object({ id: z.string(), external_id: Text, name: Text, email: Text, phone: Text }),
  channel: z.string(),
  text: Text,
  template: z.unknown(),
});

/** What the connector says of a request: the status of its answer, and its body. */
export interface Verdict {
  status: number;
  body?: { reason: string };
}

/** A connector that shares `secret` with Signpost. */
export function createConnector(secret: string) {
  const verifier = new Webhook(secret);
  const printed = new Set<string>();
  return (body: string, headers: Record<string, string>): Verdict => {
    try {
      verifier.verify(body, headers);
    } catch {
      return { status: 401, body: { reason: "signature_does_not_hold" } };
    }
    const read = Message.safeParse(JSON.parse(body));
    if (!read.success) return { status: 422, body: { reason: "message_not_understood" } };
    const { id, contact, channel, text, template } = read.data;
    // What comes again is the same message.
    if (!printed.has(id)) {
      const to =
        contact.name ?? contact.external_id ?? contact.email ?? contact.phone ?? contact.id;
      const words = JSON.stringify(text ?? template);
      const line = `Message to ${JSON.stringify(to)} by ${channel}, its signature holds: ${words}`;
      console.log(`\n${printable(line)}\n`);
    }
    printed.add(id);
    return { status: 200 };
  };
}
