/** `customerEmailMarketingConsentUpdate` and `customerSmsMarketingConsentUpdate` of the sandbox Admin API. */
import { findCustomer, requireScope, toGraphqlCustomer } from "./customer-resolvers.ts";
import type { GraphqlContext } from "./admin-api.ts";

type ConsentInput = { marketingState: string; consentUpdatedAt?: string | null };
type UserError = { code: string | null; field: string[]; message: string };

/** The other states are the platform's own. */
const SETTABLE = ["SUBSCRIBED", "UNSUBSCRIBED", "PENDING"] as const;

function change(
  context: GraphqlContext,
  kind: "email" | "sms",
  customerId: string,
  { marketingState, consentUpdatedAt }: ConsentInput,
): { customer: unknown; userErrors: UserError[] } {
  requireScope(
    context.scope,
    kind === "email" ? "customerEmailMarketingConsentUpdate" : "customerSmsMarketingConsentUpdate",
    "write",
  );
  const refuse = (code: string, name: string, message: string) => ({
    customer: null,
    userErrors: [{ code, field: ["input", name], message }],
  });
  const customer = findCustomer(context.shop, customerId);
  const consent = kind === "email" ? "emailMarketingConsent" : "smsMarketingConsent";
  if (!customer) return refuse("INVALID", "customerId", "Customer does not exist");
  const state = SETTABLE.find((known) => known === marketingState);
  if (!state) return refuse("INCLUSION", consent, "Marketing state is not included in the list");
  if (consentUpdatedAt && Date.parse(consentUpdatedAt) > Date.now() + 60_000)
    return refuse("INVALID", consent, "Consent updated at must not be in the future");
  if (!(kind === "email" ? customer.email : customer.phone))
    return refuse(
      "INVALID",
      "customerId",
      kind === "email" ? "Customer must have an email" : "Customer must have a phone number",
    );
  const at = consentUpdatedAt ?? new Date().toISOString();
  const saved = context.saveCustomer({
    gid: customerId,
    ...(kind === "email"
      ? { emailMarketingState: state, emailMarketingUpdatedAt: at }
      : { smsMarketingState: state, smsMarketingUpdatedAt: at }),
  });
  return { customer: toGraphqlCustomer(context.shop, saved), userErrors: [] };
}

export const marketingConsentResolvers = {
  customerEmailMarketingConsentUpdate: (
    { input }: { input: { customerId: string; emailMarketingConsent: ConsentInput } },
    context: GraphqlContext,
  ) => change(context, "email", input.customerId, input.emailMarketingConsent),

  customerSmsMarketingConsentUpdate: (
    { input }: { input: { customerId: string; smsMarketingConsent: ConsentInput } },
    context: GraphqlContext,
  ) => change(context, "sms", input.customerId, input.smsMarketingConsent),
};
