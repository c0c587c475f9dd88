import { expect, it } from "vitest";
import { createQrCode, postQrCode } from "../../../support/qr-codes.ts";
import { createWorkspace } from "../../../support/workspace.ts";

it.each([
  [{ type: "text", text: "One\nzwei ✓" }, "One\nzwei ✓"],
  [{ type: "phone", phone: "+44 (20) 7946-0958" }, "tel:+442079460958"],
  [{ type: "phone", phone: "+44 (0)20 7946 0958" }, "tel:+442079460958"],
  [{ type: "phone", phone: "+49(0)40-123456" }, "tel:+4940123456"],
  [{ type: "phone", phone: "(+49) ( 0 ) 40 123456" }, "tel:+4940123456"],
  [{ type: "phone", phone: "0049 (0) 40 123456" }, "tel:004940123456"],
  // In Italy the 0 is a part of the number, and without such a prefix it is dialled.
  [{ type: "phone", phone: "+39 (0)6 6982 1234" }, "tel:+390669821234"],
  [{ type: "phone", phone: "(0)40 123456" }, "tel:040123456"],
  [{ type: "sms", phone: "+44 (0)7700 900123" }, "SMSTO:+447700900123:"],
  [{ type: "sms", phone: "+442079460958" }, "SMSTO:+442079460958:"],
  [{ type: "sms", phone: "+442079460958", message: "a: b" }, "SMSTO:+442079460958:a: b"],
  [{ type: "email", to: "ada+x@example.com" }, "mailto:ada%2Bx@example.com"],
  [
    { type: "email", to: "a@b.example", subject: "A & B?", body: "1\n2 #" },
    "mailto:a@b.example?subject=A%20%26%20B%3F&body=1%0D%0A2%20%23",
  ],
  [{ type: "wifi", ssid: "Café", password: "12345678" }, "WIFI:T:WPA;S:Café;P:12345678;;"],
  [
    { type: "wifi", ssid: 'a;b,c:d"e\\', password: ";;;;:::\\", hidden: true },
    'WIFI:T:WPA;S:a\\;b\\,c\\:d\\"e\\\\;P:\\;\\;\\;\\;\\:\\:\\:\\\\;H:true;;',
  ],
  [{ type: "wifi", ssid: "Open", security: "nopass" }, "WIFI:T:nopass;S:Open;;"],
  [
    {
      type: "vcard",
      first_name: "Ada",
      last_name: "King; Countess",
      organization: "A, B",
      phone: "+44 (0) 20",
    },
    "BEGIN:VCARD\r\nVERSION:3.0\r\nN:King\\; Countess;Ada;;;\r\nFN:Ada King\\; Countess\r\nORG:A\\, B\r\nTEL:+4420\r\nEND:VCARD",
  ],
  [
    {
      type: "vcard",
      organization: "Shop",
      job_title: "Owner",
      email: "shop@example.com",
      website: "https://example.com/",
      city: "Paris",
      country: "France",
      note: "1\n2\\",
    },
    "BEGIN:VCARD\r\nVERSION:3.0\r\nN:;;;;\r\nFN:Shop\r\nORG:Shop\r\nTITLE:Owner\r\nEMAIL:shop@example.com\r\nURL:https://example.com/\r\nADR:;;;Paris;;;France\r\nNOTE:1\\n2\\\\\r\nEND:VCARD",
  ],
])("%j is %j, static, and says so", async (target, payload) => {
  const made = await createQrCode(await createWorkspace(), { target });
  expect([made.dynamic, made.code, made.payload]).toEqual([false, null, payload]);
});

const PERSON = { type: "vcard", last_name: "King" };
const WIFI = { type: "wifi", ssid: "Cafe", password: "12345678" };
const EMAIL = { type: "email", to: "ada@example.com" };
const SMS = { type: "sms", phone: "+442079460958" };

it.each([
  [{ type: "text" }, "text", 900],
  [SMS, "message", 500],
  [EMAIL, "subject", 200],
  [EMAIL, "body", 500],
  [WIFI, "ssid", 32],
  [WIFI, "password", 64],
  [PERSON, "first_name", 80],
  [PERSON, "last_name", 80],
  [PERSON, "organization", 120],
  [PERSON, "job_title", 120],
  [PERSON, "street", 120],
  [PERSON, "city", 80],
  [PERSON, "region", 80],
  [PERSON, "postal_code", 20],
  [PERSON, "country", 80],
  [PERSON, "note", 200],
])(
  "of %j the %s has at most %i characters, which are stored as they are",
  async (target, field, most) => {
    const workspace = await createWorkspace();
    const told = async (text: string) => {
      const answer = await postQrCode(workspace, { target: { ...target, [field]: text } });
      return [answer.status, Object.keys(answer.body.errors ?? {})];
    };
    expect(await told("a".repeat(most))).toEqual([201, []]);
    for (const wrong of ["a".repeat(most + 1), "a\u0000b", "a\ud800b"]) {
      expect(await told(wrong)).toEqual([422, [`target.${field}`]]);
    }
  },
);
