interface Tag {
  name: string;
  description: string;
}

/** What the operations are about, in the order in which the reference shows them. */
export const TAG_GROUPS: readonly { name: string; tags: readonly Tag[] }[] = [
  {
    name: "Links and pages",
    tags: [
      {
        name: "Short links",
        description:
          "A short link sends its visitors on to its destination. A new link is paused: `PATCH` makes it `active`.",
      },
      {
        name: "Domains",
        description:
          "A domain of your own for links and pages: connect it, create its DNS records, then verify it.",
      },
      {
        name: "Pages",
        description:
          "A page stands at `/@handle`. What you change is its draft; visitors get what was published.",
      },
      {
        name: "Page blocks",
        description:
          "A page is made of blocks. Each has a type, settings of that type, and may be shown at times or to some visitors only.",
      },
      {
        name: "Page versions",
        description:
          "Publishing makes a version of the draft. An older version can be restored into the draft.",
      },
      {
        name: "QR codes",
        description:
          "Codes for links, pages and URLs can be led elsewhere after they were printed. Codes of other kinds hold all they say themselves.",
      },
      {
        name: "Pixels",
        description:
          "A pixel tells an advertising platform of the visits of links and pages, where the visitor allows it.",
      },
      {
        name: "Files",
        description:
          "Pictures and PDFs for pages, products and QR codes. A file is named by its content, and open to everybody.",
      },
      {
        name: "Catalogue",
        description:
          "Products and collections, which pages show; imports of product feeds, and feeds for Google and Meta.",
      },
      {
        name: "Submissions",
        description: "What visitors send with the forms of pages.",
      },
      {
        name: "Analytics",
        description: "Views, clicks, scans and submissions, counted by what you ask for.",
      },
    ],
  },
  {
    name: "Contacts and messages",
    tags: [
      { name: "Contacts", description: "The people whom a workspace talks to." },
      { name: "Tags", description: "Tags of contacts. A contact may have 100." },
      { name: "Stages", description: "Where contacts stand. A contact is in one stage, or none." },
      {
        name: "Segments",
        description: "A segment is a saved question: which contacts meet its rules.",
      },
      {
        name: "Messages",
        description: "Messages to contacts, sent by the connector of their channel.",
      },
    ],
  },
  {
    name: "Events",
    tags: [
      {
        name: "Webhooks",
        description:
          "An endpoint is a URL of yours that events are sent to, signed, and again until it answers.",
      },
      {
        name: "Webhook deliveries",
        description: "What was sent to an endpoint, and what it answered; tests and resends.",
      },
      {
        name: "Automation hooks",
        description:
          "REST hooks, as Zapier, Make and n8n subscribe them: an event and a URL that it is sent to.",
      },
    ],
  },
  {
    name: "Running Signpost",
    tags: [
      {
        name: "Operator",
        description:
          "For whoever runs this Signpost, with its `ADMIN_TOKEN`: workspaces, members, keys, and what they may do.",
      },
    ],
  },
];
