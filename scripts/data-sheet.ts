// docs/data-sheet.md, written from the inventory of what is stored: `npm run docs:config`.
import { channels } from "../app/domain/channels/index.ts";
import { ACCOUNT_FIELDS } from "../app/domain/inventory/account-fields.ts";
import { dataSet, dataSetNames, type DataSetName } from "../app/domain/inventory/data-sets.ts";
import type { StoredObjects, StoredTable } from "../app/domain/inventory/data-set.ts";
import {
  RETENTION_SETTINGS,
  retentionSettingNames,
  type Kept,
} from "../app/domain/inventory/retention-settings.ts";
import { privacyTexts } from "../app/embeds/texts.ts";

const TEXTS = privacyTexts("en");

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");

const lengthOf = (kept: Kept): string =>
  typeof kept === "number"
    ? `${kept} days`
    : `\`${kept}\`, ${RETENTION_SETTINGS[kept].days} days by default`;

function keptOf(rules: readonly { name: string; after: Kept }[], end: StoredTable["end"]): string {
  return [
    ...rules.map(({ name, after }) => `${name}: ${lengthOf(after)}.`),
    ...(end === null ? [] : [TEXTS.ends[end]]),
  ].join(" ");
}

const peopleOf = ({ people }: StoredTable | StoredObjects): string =>
  people.map((one) => TEXTS.people[one]).join(", ");

function renderSet(name: DataSetName): string {
  const { tables, objects = [] } = dataSet(name);
  const rows = [
    ...Object.entries(tables).map(([stored, entry]) => [
      `\`${stored}\``,
      entry.holds,
      peopleOf(entry),
      keptOf(
        (entry.rules ?? []).map((rule) => ({ name: TEXTS.rows[rule.rows], after: rule.after })),
        entry.end,
      ),
    ]),
    ...objects.map((entry) => [
      `archive \`${entry.path}\``,
      entry.holds,
      peopleOf(entry),
      keptOf(
        entry.rule ? [{ name: TEXTS.rows[entry.rule.objects], after: entry.rule.after }] : [],
        entry.end,
      ),
    ]),
  ];
  return `### ${TEXTS.sets[name].title}

${TEXTS.sets[name].why}

${table(["where", "what it holds", "of whom", "how long"], rows)}`;
}

/** The questions of the platform's form. What the service cannot answer for its operator is marked. */
const ANSWERS: readonly [question: string, answer: string][] = [
  [
    "Do you process the minimum of personal data?",
    "Yes. Each field has its purpose in the table above. Of a phone number only a keyed hash is kept, of an address only the country. The content of a webhook is emptied once it is processed.",
  ],
  [
    "Do you tell merchants what you process, and why?",
    "Yes: `/privacy`, and `/privacy?shop=` with the periods of one store. Both are written from the list on this page.",
  ],
  [
    "Do you limit the use to that purpose?",
    "Yes. Data goes to the channels that the store connects and to no others; each channel's message is built in one file of `app/domain/channels`.",
  ],
  [
    "Do you have privacy and data protection agreements with merchants?",
    "**Yours to answer.** The store is the controller, you are the processor: offer a data processing agreement. This page and `/privacy` are its annexes on data, purposes, periods, recipients and measures.",
  ],
  [
    "Do you respect customers' consent decisions?",
    "Yes. Decisions are recorded append-only, follow the customer to the store's privacy API, analytics, the CMS and the profile platform, and block the channels that need one.",
  ],
  [
    "Do you respect opt-outs of a sale of data?",
    "Data is not sold. Global Privacy Control is obeyed, and wins over a stored grant of marketing.",
  ],
  [
    "Do you use automated decisions with legal or similar effects?",
    "No. Tags are derived from orders and consents by the store's rules, and decide nothing about a person's rights.",
  ],
  [
    "Do you have retention periods?",
    "Yes, each in the tables above, enforced by the scheduled run once a day. Uninstalling leads to the deletion of everything 48 hours later (`shop/redact`), a redaction of a customer within 30 days.",
  ],
  [
    "Do you encrypt data at rest and in transit?",
    "In transit: addresses of other systems must be `https`, and the service's own address too. At rest: credentials, tokens and the identifiers of privacy requests are encrypted with AES-256-GCM (`SECRETS_KEY`), passwords are hashed with PBKDF2. **Yours:** switch on the encryption of the database's disk and of the archive's bucket, because names and email addresses are columns.",
  ],
  [
    "Do you encrypt backups?",
    "**Yours to answer:** backups are your database's. Switch on their encryption, and keep them no longer than the periods above.",
  ],
  [
    "Are test and production data separate?",
    "Yes. Tests and `npm start` run a simulated store with invented customers and a database of their own. The simulated systems start only while no credential of a real one is set.",
  ],
  [
    "Do you have a strategy against data loss?",
    "The service acknowledges nothing before its database has committed it, and repeats what was not delivered. **Yours:** backups with a tested restore, and a standby where you need one.",
  ],
  [
    "Is the access of your staff limited?",
    "No screen shows customers' data outside the store's admin; the endpoints below `/admin` answer to `ADMIN_KEY` or the store's own key. The service's database role can read and write rows and nothing else. **Yours:** who has `ADMIN_KEY`, the database and the archive; give them to as few people as possible.",
  ],
  [
    "Do you require strong passwords of your staff?",
    "The admin pages open by a mailed code, an edge gate or `ADMIN_KEY`, which has at least 16 characters. **Yours:** passwords and second factors of your hosting accounts.",
  ],
  [
    "Do you log accesses to personal data?",
    "Yes: `access_log` has who looked at, listed, exported, changed or erased which customer's data, when and where, and is kept `access_log_retention_days`. Requests are logged with the store, the route and a request id, without personal data; exports and erasures keep their evidence in `privacy_requests`.",
  ],
  [
    "Do you have a policy for security incidents?",
    "Vulnerabilities are reported as `/.well-known/security.txt` says. **Yours:** who is called, who tells the merchants, within which time.",
  ],
];

export function renderDataSheet(): string {
  return `# Data sheet

<!-- Written by \`npm run docs:config\` from app/domain/inventory. -->

What the service stores about people, why, how long, and who receives it. The same list makes the page \`/privacy\`, the
settings "Data retention" and the scheduled run that deletes. Use it for the platform's form about protected customer data,
for your record of processing activities, and as an annex of your agreements with merchants.

## The fields of a customer

${table(
  ["field", "columns of `storefront_users`", "purpose"],
  ACCOUNT_FIELDS.map(({ field, columns, purpose }) => [
    field,
    columns.map((column) => `\`${column}\``).join(", "),
    purpose,
  ]),
)}

## What is stored

${dataSetNames.map(renderSet).join("\n\n")}

A customer's redaction empties the account and removes the person from every table and archived object before these periods end.
The deletion of a store removes every row and object of it.

## Periods that a store may choose

${table(
  ["setting", "of", "default", "from", "to"],
  retentionSettingNames.map((name) => {
    const { label, days, min, max } = RETENTION_SETTINGS[name];
    return [
      `\`${name}\``,
      label.replace(" (days)", "").toLowerCase(),
      `${days} days`,
      String(min),
      String(max),
    ];
  }),
)}

## Who receives data

${table(
  ["channel", "what it receives"],
  channels.map(({ name }) => [`\`${name}\``, recipientOf(name)]),
)}

${TEXTS.recipientsIntro} ${TEXTS.recipientsHost}

## The platform's form

${ANSWERS.map(([question, answer]) => `**${question}** ${answer}`).join("\n\n")}
`;
}

function recipientOf(channel: string): string {
  if (!Object.hasOwn(TEXTS.recipients, channel))
    throw new Error(`app/locales/en/embeds/privacy.json says nothing of the channel ${channel}`);
  return TEXTS.recipients[channel as keyof typeof TEXTS.recipients];
}
