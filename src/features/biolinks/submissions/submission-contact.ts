import type { ContactOffer } from "../../salesbot/contacts/contact-offers.ts";
import { CUSTOM_VALUE_CHARACTERS } from "../../salesbot/contacts/contacts.schemas.ts";
import { isEmail, readPhone } from "./form-answers.ts";
import type { Answer, Answers, ContactRule } from "./submissions.schemas.ts";

const MAX_NAME = 200;

/** What a submission says of a contact, by its form's rule. */
export function contactOf({ map, tags }: ContactRule, answers: Answers): ContactOffer {
  const { name, email, phone, custom = {} } = map;
  // A field may be called `constructor`, which every object has.
  const answerTo = (field: string) => (Object.hasOwn(answers, field) ? answers[field] : undefined);
  const textOf = (field: string | undefined) => {
    const answer = field === undefined ? undefined : answerTo(field);
    return answer === undefined ? undefined : written(answer) || undefined;
  };
  const address = textOf(email);
  const number = readPhone(textOf(phone) ?? "");
  const values = Object.entries(custom).flatMap(([key, field]) => {
    const answer = answerTo(field);
    return answer === undefined ? [] : [[key, customValue(answer)] as const];
  });
  return {
    name: textOf(name)?.slice(0, MAX_NAME).toWellFormed(),
    ...(address && isEmail(address) && { email: address }),
    ...(number && { phone: number }),
    custom: Object.fromEntries(values),
    tags,
  };
}

function customValue(answer: Answer): string | number | boolean {
  if (typeof answer === "number" || typeof answer === "boolean") return answer;
  return [...written(answer)].slice(0, CUSTOM_VALUE_CHARACTERS).join("");
}

function written(answer: Answer): string {
  return Array.isArray(answer) ? answer.join(", ") : String(answer);
}
