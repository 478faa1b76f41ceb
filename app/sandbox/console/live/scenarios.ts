/** The scenarios of the console's buttons. Each acts on the store or on the service, over HTTP. */
import { randomBytes, randomInt } from "node:crypto";
import type { Sandbox } from "../../sandbox.ts";
import type { Customer } from "../../storefront/state.ts";
import type { Act } from "./act.ts";
import { subjectOf } from "./act.ts";
import { createAgent } from "./agent.ts";
import { createShopper, decide, ensureAda, findByEmail, readConsents } from "./shopper.ts";
import { faultOf } from "./systems.ts";

export const SCENARIOS = [
  "rename",
  "new-customer",
  "withdraw",
  "cms-outage",
  "agent-buys",
  "forged-webhook",
] as const;
export type ScenarioName = (typeof SCENARIOS)[number];

export type Scenario = {
  label: string;
  /** One sentence: what will happen. */
  about: string;
  act(act: Act): Promise<void>;
};

const LAST_NAMES = ["Lovelace", "King", "Byron"];
const NEWCOMERS = [
  ["Grace", "Hopper", "US"],
  ["Mary", "Somerville", "GB"],
  ["Emmy", "Noether", "DE"],
  ["Sofja", "Kowalewskaja", "SE"],
  ["Maria", "Agnesi", "IT"],
] as const;
/** So many failures open a circuit. */
const OUTAGE_CUSTOMERS = 5;

export function createScenarios(): Record<ScenarioName, Scenario> {
  const shopper = createShopper();
  const agent = createAgent(shopper);
  return {
    rename: {
      label: "Ada changes her name",
      about: "The store sends a signed webhook; the change reaches every system.",
      act: (act) => rename(act, ensureAda(act.sandbox, act.shop)),
    },
    "new-customer": {
      label: "New customer",
      about: "Somebody joins the store; the service creates the person everywhere.",
      act: joinStore,
    },
    withdraw: {
      label: "Withdraw consent",
      about: "Ada withdraws her marketing consent; the log keeps a receipt.",
      async act(act) {
        act.run.subject = subjectOf(ensureAda(act.sandbox, act.shop));
        const browser = await shopper.headers(act);
        if ((await readConsents(act, browser))["marketing"] !== true)
          await decide(act, "Ada agrees to marketing first", browser, { consent_marketing: true });
        const receipt = await decide(act, "Ada withdraws it", browser, {
          consent_marketing: false,
        });
        act.run.diff.push(
          { field: "Marketing consent", before: "granted", after: "withdrawn" },
          { field: "Receipt", before: "", after: receipt },
        );
      },
    },
    "cms-outage": {
      label: "CMS outage",
      about: "The CMS goes down and customers change: the service keeps what it owes.",
      act: breakCms,
    },
    "agent-buys": {
      label: "Agent buys",
      about: "An agent signs in with Ada's approval, gets a mandate and buys.",
      act: (act) => agent.buy(act),
    },
    "forged-webhook": {
      label: "Forged webhook",
      about: "Somebody without the app's secret claims that Ada changed.",
      act: forge,
    },
  };
}

async function rename(act: Act, customer: Customer): Promise<void> {
  const { sandbox, shop, run } = act;
  const index = LAST_NAMES.indexOf(customer.lastName ?? "");
  const lastName = LAST_NAMES[(index + 1) % LAST_NAMES.length] ?? "Lovelace";
  run.subject = subjectOf({ ...customer, lastName });
  run.diff.push({ field: "Last name", before: customer.lastName ?? "", after: lastName });
  await act.send((options) =>
    sandbox.storefront.changeCustomer(shop, customer.gid, { lastName }, options),
  );
}

async function joinStore(act: Act): Promise<void> {
  const { sandbox, shop, run } = act;
  const count = sandbox.storefront.customers(shop).length;
  const [firstName, lastName, countryCode] = NEWCOMERS[
    count % NEWCOMERS.length
  ] as (typeof NEWCOMERS)[0];
  const email = `${firstName.toLowerCase()}.${Date.now().toString(36)}@shopper.example`;
  run.diff.push(
    { field: "Name", before: "", after: `${firstName} ${lastName}` },
    { field: "Email", before: "", after: email },
    { field: "Country", before: "", after: countryCode },
  );
  await act.send(async (options) => {
    const fields = { firstName, lastName, email, countryCode, tags: ["newcomer"] };
    // Known before the webhook is answered, because the first systems are quicker than the answer.
    run.subject = { gid: "", name: `${firstName} ${lastName}`, email };
    const { customer, deliveries } = await sandbox.storefront.createCustomer(shop, fields, options);
    run.subject = subjectOf(customer);
    return deliveries;
  });
}

async function breakCms(act: Act): Promise<void> {
  const { sandbox, shop, run } = act;
  sandbox.clearFaults("cms");
  sandbox.failNext("cms", faultOf("down", "cms"), Infinity);
  act.step({
    from: "cms",
    to: "cms",
    text: "The CMS goes down: every call is answered 503",
    status: null,
    ms: null,
    tone: "waiting",
  });
  const people = customersOf(sandbox, shop);
  for (const customer of people) {
    const phone = `+4930${randomInt(1_000_000, 10_000_000)}`;
    await act.send((options) =>
      sandbox.storefront.changeCustomer(shop, customer.gid, { phone }, options),
    );
  }
  run.diff.push({
    field: "New phone number of",
    before: "",
    after: people.map(({ firstName }) => firstName).join(", "),
  });
}

/** Five of the store's customers, Ada first; who is missing becomes one. */
function customersOf(sandbox: Sandbox, shop: string): Customer[] {
  const others = NEWCOMERS.slice(0, OUTAGE_CUSTOMERS - 1).map(
    ([firstName, lastName, countryCode]) => {
      const email = `${firstName}.${lastName}@shopper.example`.toLowerCase();
      return (
        findByEmail(sandbox.storefront.customers(shop), email) ??
        sandbox.storefront.putCustomer(shop, { firstName, lastName, countryCode, email })
      );
    },
  );
  return [ensureAda(sandbox, shop), ...others];
}

async function forge(act: Act): Promise<void> {
  const { sandbox, shop, run } = act;
  const ada = ensureAda(sandbox, shop);
  run.subject = subjectOf(ada);
  run.diff.push({ field: "Claimed last name", before: "", after: "Mallory" });
  const claim = {
    admin_graphql_api_id: ada.gid,
    email: ada.email,
    first_name: ada.firstName,
    last_name: "Mallory",
    updated_at: new Date().toISOString(),
  };
  const secret = randomBytes(16).toString("hex");
  const deliveries = await act.send(
    (options) =>
      sandbox.storefront.sendWebhook(shop, "customers/update", claim, { ...options, secret }),
    "stranger",
  );
  const statuses = [...new Set(deliveries.map(({ status }) => status))];
  const isRefused = statuses.every((status) => status === 401);
  for (const step of run.steps) if (step.status === 401) step.tone = "good";
  run.outcome = {
    tone: isRefused ? "good" : "bad",
    text: isRefused
      ? "Rejected with 401: the signature is not the store's. Nothing was stored."
      : `The service answered ${statuses.join(", ")} to a forged signature.`,
  };
}
