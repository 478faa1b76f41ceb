// The actions that a workflow of Shopify Flow runs here (DECISIONS 19): what the extensions declare
// and what their route accepts. `extensions/flow-*` are held to this list by
// tests/unit/flow-extensions.test.ts.
import type { FlowField } from "./flow-triggers.ts";

type ActionField = FlowField & { name?: string; required: boolean };

const CUSTOMER = { type: "customer_reference", required: true } as const;
const TAG = {
  type: "single_line_text_field",
  key: "tag",
  name: "Tag",
  description: "A tag of the app's catalog, such as vip",
  required: true,
} as const;

export const FLOW_ACTIONS = {
  add_tag: {
    name: "Add customer tag",
    description: "Adds a tag of the app's catalog to a customer, here and in all connected systems",
    fields: [CUSTOMER, TAG],
  },
  remove_tag: {
    name: "Remove customer tag",
    description:
      "Removes a tag of the app's catalog from a customer, here and in all connected systems",
    fields: [CUSTOMER, TAG],
  },
  record_consent_request: {
    name: "Request consent by email",
    description:
      "Asks a customer for a consent by email, at most once in 30 days. Only the customer grants it, by the link in the message",
    fields: [
      CUSTOMER,
      {
        type: "single_line_text_field",
        key: "consent_type",
        name: "Consent",
        description: "marketing, cookie, privacy or tos. Left empty: marketing",
        required: false,
      },
    ],
  },
} as const satisfies Record<
  string,
  { name: string; description: string; fields: readonly ActionField[] }
>;

export type FlowActionName = keyof typeof FLOW_ACTIONS;
