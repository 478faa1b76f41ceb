/** The sandbox's control endpoints, for tests (JSON) and for the console's forms. */
import { z } from "zod";
import { fieldsOf, json, redirect, text } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import { SYSTEM_NAMES } from "../faults.ts";
import type { LiveConsole } from "./live/live-console.ts";
import { SCENARIOS } from "./live/scenarios.ts";
import { MODES } from "./live/systems.ts";
import { PLAYGROUND_ACTIONS } from "./playground/playground.ts";
import type { Playground } from "./playground/playground.ts";
import { isSameSiteOrProgram } from "../loopback-guard.ts";
import type { Sandbox } from "../sandbox.ts";
import type { CustomerPatch } from "../storefront/customers.ts";
import type { WebhookDelivery } from "../storefront/webhooks/delivery.ts";

const SystemName = z.enum(SYSTEM_NAMES);
const ApiVersion = z.enum(["2026-07", "2024-10"]).optional();
const MarketingState = z.enum(["NOT_SUBSCRIBED", "PENDING", "SUBSCRIBED", "UNSUBSCRIBED"]);
const Text = z.string().trim().max(255);
const OptionalText = Text.transform((value) => (value === "" ? null : value)).nullable();
const Tags = z.union([
  z.array(Text),
  z.string().transform((list) =>
    list
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
]);

const CustomerFields = z
  .object({
    first_name: OptionalText,
    last_name: OptionalText,
    email: OptionalText,
    phone: OptionalText,
    locale: Text,
    country: OptionalText,
    note: OptionalText,
    tags: Tags,
    verified_email: z.boolean(),
    number_of_orders: z.string().regex(/^\d+$/),
    amount_spent: z.string().regex(/^\d+(\.\d+)?$/),
    email_marketing_state: MarketingState,
    sms_marketing_state: MarketingState,
  })
  .partial();

const NewCustomer = CustomerFields.extend({
  shop: Text,
  webhook: Text.optional(),
  api_version: ApiVersion,
});
const CustomerChange = z.object({
  shop: Text,
  gid: Text,
  patch: CustomerFields,
  api_version: ApiVersion,
});
const Payment = z.object({ shop: Text, /** The `checkout_url` of a checkout. */ url: Text });
// A form sends a ticked checkbox as "true" and omits an unticked one.
const FederatedPerson = z.object({
  email: z.email(),
  name: Text.optional(),
  email_verified: z.union([z.boolean(), z.stringbool()]).default(false),
});
const FaultShape = z.union([
  z.strictObject({
    status: z.number().int().min(200).max(599),
    headers: z.record(z.string(), z.string()).optional(),
    body: z.unknown().optional(),
  }),
  z.strictObject({ hang: z.number().positive() }),
  z.strictObject({ reset: z.literal(true) }),
  z.strictObject({ dropReply: z.literal(true) }),
  z.strictObject({ delayMs: z.number().nonnegative() }),
  z.strictObject({ delayReplyMs: z.number().nonnegative() }),
  z.strictObject({ garbage: z.literal(true) }),
  z.strictObject({ echoes: z.number().int().min(200).max(599) }),
]);
const HeldWebhooks = z.object({
  shop: Text,
  order: z.enum(["as sent", "backwards"]).default("as sent"),
  copies: z.number().int().min(1).max(10).default(1),
});
/** The customer data that the app is not approved for; an empty list approves all of it. */
const ProtectedDataChange = z.object({
  shop: Text,
  withheld: z.array(z.enum(["customers", "name", "email", "phone", "address"])),
});
/** Without `closure` the store is open again. */
const StoreClosure = z.object({
  shop: Text,
  closure: z.enum(["frozen", "locked", "inactive"]).nullable().default(null),
});
/** What visitors of the online store meet; what is left out ends. */
const VisitorChange = z.object({
  shop: Text,
  password: z.boolean().default(false),
  status: z.union([z.literal(403), z.literal(429), z.literal(430)]).optional(),
  delay_ms: z.number().int().min(0).max(600_000).optional(),
});
const FailNext = z.object({
  system: SystemName,
  fault: FaultShape,
  times: z.union([z.number().int().positive(), z.literal("always")]).default(1),
  match: z.string().optional(),
});

const ScenarioStart = z.object({ scenario: z.enum(SCENARIOS) });
const ModeChange = z.object({ system: SystemName, mode: z.enum(MODES) });

const PlaygroundStart = z.object({ do: z.enum(PLAYGROUND_ACTIONS) });

type ControlledPages = { live: LiveConsole; playground: Playground };

export async function answerControl(
  sandbox: Sandbox,
  pages: ControlledPages,
  call: Call,
): Promise<ApiResponse> {
  if (call.method === "GET" && call.path === "/_control/state") return showState(sandbox, call);
  if (call.method === "GET" && call.path === "/_control/playground")
    return isSameSiteOrProgram(call.headers)
      ? json(200, await pages.playground.state())
      : text(403, "Only this page itself and programs on this machine may read that");
  if (call.method !== "POST") return text(405, "Use POST");
  if (!isSameSiteOrProgram(call.headers))
    return text(403, "Only this page itself and programs on this machine may do that");
  const isForm =
    call.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") ?? false;
  try {
    const answered = answerPageControl(pages, call);
    if (answered) return answered;
    const action = findAction(call.path);
    if (!action) return text(404, "No such action");
    const result = await action(sandbox, isForm ? nestPatch(fieldsOf(call.body)) : call.body);
    return isForm ? redirect("/", 303) : json(200, result);
  } catch (error) {
    if (error instanceof z.ZodError)
      return json(400, { error: "invalid_request", issues: error.issues });
    return json(400, {
      error: "invalid_request",
      message: error instanceof Error ? error.message : String(error),
    });
  }
}

/** The buttons of the console and the playground; null for another path. Throws a ZodError for another body. */
function answerPageControl(
  { live, playground }: ControlledPages,
  { path, body }: Call,
): ApiResponse | null {
  switch (path) {
    case "/_control/scenario":
      return live.start(ScenarioStart.parse(body).scenario)
        ? json(202, { ok: true })
        : json(409, { error: "busy", message: "Another scenario is running." });
    case "/_control/playground":
      return playground.start(PlaygroundStart.parse(body).do)
        ? json(202, { ok: true })
        : json(409, { error: "busy", message: "A step is running." });
    case "/_control/mode": {
      const { system, mode } = ModeChange.parse(body);
      live.setMode(system, mode);
      return json(200, { ok: true });
    }
    default:
      return null;
  }
}

type Action = (sandbox: Sandbox, body: unknown) => unknown;

/** Each by its path below `/_control/`. Throws a ZodError for another body. */
const ACTIONS: Record<string, Action> = {
  customers: createCustomer,
  "customers/change": changeCustomer,
  async pay({ storefront }, body) {
    const { shop, url } = Payment.parse(body);
    const { order, deliveries } = await storefront.pay(shop, url);
    return { gid: order.gid, name: order.name, deliveries: deliveries.map(summary) };
  },
  people({ federated }, body) {
    const { email, name, email_verified: emailVerified } = FederatedPerson.parse(body);
    return federated.putPerson({ email, name: name || undefined, emailVerified });
  },
  "webhooks/hold"({ storefront }, body) {
    storefront.holdWebhooks(HeldWebhooks.parse(body).shop);
    return { ok: true };
  },
  async "webhooks/release"({ storefront }, body) {
    const { shop, ...options } = HeldWebhooks.parse(body);
    const deliveries = await storefront.releaseWebhooks(shop, options);
    return { deliveries: deliveries.map(summary) };
  },
  "protected-data"({ storefront }, body) {
    const { shop, withheld } = ProtectedDataChange.parse(body);
    storefront.withholdData(shop, withheld);
    return { ok: true };
  },
  "close-store"({ storefront }, body) {
    const { shop, closure } = StoreClosure.parse(body);
    storefront.closeStore(shop, closure);
    return { ok: true };
  },
  visitors({ storefront }, body) {
    const { shop, password, status, delay_ms: delayMs } = VisitorChange.parse(body);
    storefront.setPassword(shop, password);
    storefront.setAccess(shop, { ...(status && { status }), ...(delayMs && { delayMs }) });
    return { ok: true };
  },
  "fail-next"(sandbox, body) {
    const { system, fault, times, match } = FailNext.parse(body);
    const planned = { ...fault, ...(match !== undefined && { match }) };
    sandbox.failNext(system, planned, times === "always" ? Infinity : times);
    return { ok: true };
  },
  "clear-faults"(sandbox) {
    sandbox.clearFaults();
    return { ok: true };
  },
};

function findAction(path: string): Action | undefined {
  const name = path.slice("/_control/".length);
  return Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
}

async function createCustomer({ storefront }: Sandbox, body: unknown) {
  const { shop, webhook, api_version: apiVersion, ...fields } = NewCustomer.parse(body);
  const options = apiVersion ? { apiVersion } : {};
  const patch = toPatch(fields);
  if (webhook === undefined || webhook === "customers/create") {
    const { customer, deliveries } = await storefront.createCustomer(shop, patch, options);
    return { gid: customer.gid, deliveries: deliveries.map(summary) };
  }
  const { gid } = storefront.putCustomer(shop, patch);
  if (webhook === "none") return { gid, deliveries: [] };
  const deliveries = await storefront.sendWebhook(shop, webhook, gid, options);
  return { gid, deliveries: deliveries.map(summary) };
}

async function changeCustomer({ storefront }: Sandbox, body: unknown) {
  const { shop, gid, patch, api_version: apiVersion } = CustomerChange.parse(body);
  const options = apiVersion ? { apiVersion } : {};
  const deliveries = await storefront.changeCustomer(shop, gid, toPatch(patch), options);
  return { gid, deliveries: deliveries.map(summary) };
}

function showState(sandbox: Sandbox, call: Call): ApiResponse {
  const parsed = SystemName.safeParse(call.query.get("system"));
  if (!parsed.success) return json(400, { error: "invalid_request", systems: SYSTEM_NAMES });
  return json(200, {
    system: parsed.data,
    state: sandbox.stateOf(parsed.data),
    requests: sandbox.requests(parsed.data).length,
  });
}

/** Form fields are flat: `patch.first_name` becomes `{patch: {first_name}}`. Values stay text. */
function nestPatch(fields: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(fields);
  const patch = entries
    .filter(([name]) => name.startsWith("patch."))
    .map(([name, value]) => [name.slice("patch.".length), value]);
  return {
    ...Object.fromEntries(entries.filter(([name]) => !name.startsWith("patch."))),
    patch: Object.fromEntries(patch) as unknown,
  };
}

function toPatch(fields: z.infer<typeof CustomerFields>): CustomerPatch {
  const patch = {
    firstName: fields.first_name,
    lastName: fields.last_name,
    email: fields.email,
    phone: fields.phone,
    locale: fields.locale,
    countryCode: fields.country,
    note: fields.note,
    tags: fields.tags,
    verifiedEmail: fields.verified_email,
    numberOfOrders: fields.number_of_orders,
    amountSpent: fields.amount_spent,
    emailMarketingState: fields.email_marketing_state,
    smsMarketingState: fields.sms_marketing_state,
  };
  return patch;
}

function summary({ topic, status, ms, uri, error }: WebhookDelivery): Record<string, unknown> {
  return { topic, status, ms, uri, ...(error && { error }) };
}
