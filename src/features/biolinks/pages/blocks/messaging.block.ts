import { z } from "@hono/zod-openapi";
import { optional } from "../../../../api/blank.ts";
import { optionalText, text } from "../../../../api/text.ts";
import { html } from "../markup/html.ts";
import { type IconName, icon } from "../markup/icons.ts";
import { defineBlock } from "./block-type.ts";

const Phone = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, { error: "Must be a number such as +4915123456789." })
  .openapi({ example: "+4915123456789" });
const User = z.string().regex(/^[A-Za-z0-9._]{3,64}$/, {
  error: "Must be a user name of letters, digits, dots and underscores, without @.",
});
const rest = { label: optionalText(80), text: optional(text(500)) };

const Settings = z
  .discriminatedUnion("channel", [
    z.strictObject({ channel: z.literal("whatsapp"), to: Phone, ...rest }),
    z.strictObject({ channel: z.literal("telegram"), to: User, ...rest }),
    z.strictObject({ channel: z.literal("messenger"), to: User, ...rest }),
    z.strictObject({ channel: z.literal("sms"), to: Phone, ...rest }),
    z.strictObject({ channel: z.literal("email"), to: z.email().max(254), ...rest }),
  ])
  .openapi("MessagingBlock");
type Settings = z.output<typeof Settings>;

const LOOKS: Record<Settings["channel"], [IconName, string]> = {
  whatsapp: ["whatsapp", "WhatsApp"],
  telegram: ["telegram", "Telegram"],
  messenger: ["messenger", "Messenger"],
  sms: ["chat", "SMS"],
  email: ["mail", "Email"],
};

export const messagingBlock = defineBlock({
  type: "messaging",
  description: "A button that opens a conversation, with a text to begin with.",
  settings: Settings,
  sample: {
    channel: "whatsapp",
    to: "+4915123456789",
    label: "Ask about a commission",
    text: "Hello! I would like to ask about a commission.",
  },
  names: () => [],
  view: (settings, { go }) => {
    const [drawing, name] = LOOKS[settings.channel];
    const { label = name, to } = settings;
    const below = label === name ? to : name;
    return html`<a class="link" href="${go(conversationOf(settings))}">${icon(drawing)}<span><b>${label}</b><small>${below}</small></span></a>`;
  },
  sharesCssOf: "link",
});

function conversationOf({ channel, to, text: said }: Settings): string {
  const words = said ? encodeURIComponent(said) : "";
  switch (channel) {
    case "whatsapp":
      return `https://wa.me/${to.slice(1)}${words && `?text=${words}`}`;
    case "telegram":
      return `https://t.me/${to}${words && `?text=${words}`}`;
    case "messenger":
      return `https://m.me/${to}${words && `?text=${words}`}`;
    case "sms":
      // iOS reads what follows ?&, Android what follows ?.
      return `sms:${to}${words && `?&body=${words}`}`;
    case "email":
      return `mailto:${encodeURIComponent(to).replaceAll("%40", "@")}${words && `?body=${words}`}`;
  }
}
