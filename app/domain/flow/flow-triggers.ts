// The triggers that workflows of Shopify Flow begin with (DECISIONS 19): what the extensions declare,
// and which events of the bus send which of them. `extensions/flow-*` are held to this list by
// tests/unit/flow-extensions.test.ts.
import { z } from "zod";

export type FlowField = {
  type: "customer_reference" | "single_line_text_field" | "number_decimal";
  /** Letters and spaces only, as the platform requires. A reference has no key of its own. */
  key?: string;
  description?: string;
};
type FlowValue = string | number;
/** The values of fields that are not references, by their keys. */
type Values = Record<string, FlowValue>;

const CUSTOMER: FlowField = { type: "customer_reference" };
const text = (key: string, description: string): FlowField => ({
  type: "single_line_text_field",
  key,
  description,
});
/** Stable across retries of one trigger. */
const CHANGE_ID = text("Change id", "Unique for each change");

export const FLOW_TRIGGERS = {
  consent_changed: {
    name: "Consent changed",
    description: "A customer granted or withdrew a consent",
    fields: [
      CUSTOMER,
      text("Consent type", "marketing, cookie, privacy, tos, a2a, ap2, or the name of a form"),
      text("Decision", "granted or revoked"),
      text("Method", "Where the customer decided, such as banner"),
      CHANGE_ID,
    ],
  },
  tag_added: {
    name: "Customer tag added",
    description: "A tag of the app's catalog was added to a customer",
    fields: [CUSTOMER, text("Tag", "The tag, such as vip"), CHANGE_ID],
  },
  tag_removed: {
    name: "Customer tag removed",
    description: "A tag of the app's catalog was removed from a customer",
    fields: [CUSTOMER, text("Tag", "The tag, such as vip"), CHANGE_ID],
  },
  mandate_used: {
    name: "Payment mandate used",
    description: "An agent began a checkout under a customer's mandate",
    fields: [
      CUSTOMER,
      text("Mandate id", "The mandate"),
      { type: "number_decimal", key: "Amount", description: "What the checkout reserves" },
      text("Currency", "ISO 4217, such as EUR"),
      CHANGE_ID,
    ],
  },
  delivery_dead: {
    name: "Delivery failed",
    description: "An event could not be delivered to a connected system and waits for a replay",
    fields: [
      text("System", "The system that did not take the event"),
      text("Event id", "The event, as the app's delivery log shows it"),
      text("Event type", "Such as customer.updated"),
      CHANGE_ID,
    ],
  },
  customer_erased: {
    name: "Customer erased",
    description: "The personal data of a customer was erased from the app",
    fields: [text("Account id", "The number of the emptied account in the app"), CHANGE_ID],
  },
} as const satisfies Record<
  string,
  { name: string; description: string; fields: readonly FlowField[] }
>;

export type FlowTriggerName = keyof typeof FLOW_TRIGGERS;

/** One call: the trigger, and the values of its fields without the customer and the change's id. */
export type FlowTrigger = { name: FlowTriggerName; values: Values };

const names = z.array(z.string().max(80)).max(500).default([]);
const TagsChanged = z.object({ tags_added: names, tags_removed: names });
const ConsentUpdated = z.object({
  method: z.string().max(80),
  consents: z
    .array(z.object({ consent_type: z.string().max(80), action: z.enum(["granted", "revoked"]) }))
    .max(500)
    .default([]),
});
const MandateUsed = z.object({
  mandate: z.object({ mandate_id: z.string(), amount: z.string(), currency: z.string() }),
});
const DeliveryDead = z.object({
  dead: z.object({ channel: z.string(), event_id: z.string(), event_type: z.string() }),
});
const Erased = z.object({ user_id: z.number() });

const reads =
  <T>(schema: z.ZodType<T>, toTriggers: (payload: T) => FlowTrigger[]) =>
  (payload: unknown): FlowTrigger[] => {
    const parsed = schema.safeParse(payload);
    return parsed.success ? toTriggers(parsed.data) : [];
  };

/** Which events of the bus send which triggers. An event that is not here sends none. */
const TRIGGERS_OF: Readonly<Record<string, (payload: unknown) => FlowTrigger[]>> = {
  "customer.consent_updated": reads(ConsentUpdated, ({ method, consents }) =>
    consents.map(({ consent_type: type, action }) => ({
      name: "consent_changed",
      values: { "Consent type": type, Decision: action, Method: method },
    })),
  ),
  "customer.tags_changed": reads(TagsChanged, ({ tags_added: added, tags_removed: removed }) => [
    ...added.map((tag) => ({ name: "tag_added" as const, values: { Tag: tag } })),
    ...removed.map((tag) => ({ name: "tag_removed" as const, values: { Tag: tag } })),
  ]),
  "mandate.used": reads(MandateUsed, ({ mandate }) => [
    {
      name: "mandate_used",
      values: {
        "Mandate id": mandate.mandate_id,
        Amount: Number(mandate.amount),
        Currency: mandate.currency,
      },
    },
  ]),
  "delivery.dead": reads(DeliveryDead, ({ dead }) => [
    {
      name: "delivery_dead",
      values: { System: dead.channel, "Event id": dead.event_id, "Event type": dead.event_type },
    },
  ]),
  "customer.erased": reads(Erased, ({ user_id: id }) => [
    { name: "customer_erased", values: { "Account id": String(id) } },
  ]),
};

export const toFlowTriggers = (eventType: string, payload: unknown): FlowTrigger[] =>
  TRIGGERS_OF[eventType]?.(payload) ?? [];

/** Handles hold letters, digits and hyphens. */
export const flowHandle = (name: string): string => name.replaceAll("_", "-");

export const isAboutCustomer = (name: FlowTriggerName): boolean =>
  FLOW_TRIGGERS[name].fields.some(({ type }) => type === "customer_reference");

/**
 * The payload of one call. A customer's number that JavaScript cannot hold stays text: rounded, it
 * would be another customer.
 */
export function toFlowPayload(
  { name, values }: FlowTrigger,
  { gid, changeId }: { gid: string | null; changeId: string },
): Record<string, FlowValue> {
  const digits = gid?.slice(gid.lastIndexOf("/") + 1) ?? "";
  const number = Number(digits);
  return {
    ...(isAboutCustomer(name) && {
      customer_id: Number.isSafeInteger(number) ? number : digits,
    }),
    ...values,
    "Change id": changeId,
  };
}
