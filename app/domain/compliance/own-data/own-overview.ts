// What a customer sees of themselves in the store's customer accounts: consents, agents and payment mandates.
import type { Ctx } from "../../../context.server.ts";
import { findKey, putKey } from "../../../runtime/database/kv.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import { listLinkedAgents } from "../../agents/oauth/grants.ts";
import type { Mandate } from "../../commerce/mandate.ts";
import { listMandates } from "../../commerce/mandates.ts";
import { stateOf } from "../../consent/consent-outcomes.ts";
import { CONSENT_TYPES } from "../../consent/consent-types.ts";
import { readLastDecisions } from "../../consent/last-decisions.ts";
import type { Person } from "../../identity/account.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { listAgentActions } from "../access-log/agent-actions.ts";
import { confirmationPhrase } from "../requests/merchant-requests.ts";

/** The newest; a customer has few. */
const SHOWN = 50;
const NEWEST = { limit: SHOWN, after: null };
const SEEN_AGAIN_MS = 3_600_000;

export async function showOwnOverview(ctx: Ctx, tenant: Tenant, person: Person) {
  const { account, consents } = person;
  const { sql } = dataOf(ctx, tenant);
  const [decisions, { grants }, { mandates }] = await Promise.all([
    readLastDecisions(sql, account.id),
    listLinkedAgents(ctx, tenant, account.id, NEWEST),
    listMandates(ctx, tenant, person, NEWEST),
    noteSeen(ctx, tenant),
  ]);
  const clients = grants.map(({ client_id: id }) => id);
  const actions = await listAgentActions(ctx, tenant, account.id, clients);
  const { agent_access_enabled: agents, agent_payments_enabled: payments } = tenant.config;
  const changeable = new Set([
    "cookie",
    "marketing",
    ...(agents || consents.a2a ? ["a2a"] : []),
    ...(payments || consents.ap2 ? ["ap2"] : []),
  ]);
  return {
    customer: { email: account.email, name: account.full_name },
    consents: CONSENT_TYPES.map((type) => {
      const last = decisions.get(type);
      return {
        type,
        granted: consents[type],
        state: stateOf(consents[type], last?.outcome ?? null),
        decided_at: last?.at ?? null,
        changeable: changeable.has(type),
      };
    }),
    agents: grants.map((grant) => ({ ...grant, actions: actions.get(grant.client_id) ?? [] })),
    mandates: mandates.map(withoutProof),
    /** What the customer types to delete their data. */
    confirmation: confirmationPhrase(account),
  };
}

const withoutProof = ({
  signature: _signature,
  proof: _proof,
  customer_id: _owner,
  ...shown
}: Mandate) => shown;

/** When the extension was last opened in this store, to the hour. */
async function noteSeen(ctx: Ctx, tenant: Tenant): Promise<void> {
  const { sql } = dataOf(ctx, tenant);
  const now = ctx.clock.now();
  const known = await findKey<{ at: string }>(sql, KEYS.accountExtension);
  if (known && now.getTime() - Date.parse(known.value.at) < SEEN_AGAIN_MS) return;
  await putKey(sql, KEYS.accountExtension, { at: now.toISOString() });
}
