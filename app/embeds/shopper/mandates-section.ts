// Payment mandates: limit, amount spent, and revocation.
import {
  button,
  el,
  fillSection,
  createSection,
  isolated,
  announce,
  type Child,
} from "./elements.ts";
import { fill, money, when, WORDS } from "./page-data.ts";
import { call, get, reasonOf } from "./session.ts";

type Mandate = {
  mandate_id: string;
  max_amount: string;
  spent_amount: string;
  currency: string;
  scope: string;
  usage: "single" | "multi";
  status: string;
  expires_at: string;
  /** Client ids; null: any agent. */
  agent_clients: string[] | null;
};
type Page = { mandates: Mandate[]; next_cursor: string | null };
type Grants = { grants: { client_id: string; client_name: string }[] };
/** Names of the linked agents by client id. */
type Names = ReadonlyMap<string, string>;

const cents = (amount: string): bigint => BigInt(amount.replace(".", ""));
/**
 * Subtracts in integers: amounts have two decimals and may exceed what a JavaScript number holds
 * exactly.
 */
function left({ max_amount: max, spent_amount: spent }: Mandate): string {
  const digits = String(cents(max) - cents(spent)).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function scopeOf(scope: string): string {
  if (scope.startsWith("collection:"))
    return fill(WORDS.scope_collection, { name: scope.slice("collection:".length) });
  return scope.startsWith("product:") ? WORDS.scope_product : WORDS.scope_all;
}

/** An agent that is no longer linked is named by the host of its client id, or by the id. */
const nameOf = (client: string, names: Names): string =>
  names.get(client) ?? ((URL.canParse(client) && new URL(client).host) || client);

const agentsOf = ({ agent_clients: clients }: Mandate, names: Names): string =>
  clients === null
    ? WORDS.mandateForAny
    : fill(WORDS.mandateFor, { agents: clients.map((client) => nameOf(client, names)).join(", ") });

function mandateRow(mandate: Mandate, names: Names): HTMLElement {
  const { currency, status } = mandate;
  const max = money(mandate.max_amount, currency);
  const state = el(
    "span",
    { class: "pill" },
    (WORDS as Record<string, string>)[`status_${status}`] ?? status,
  );
  const spent = fill(WORDS.mandateSpent, { spent: money(mandate.spent_amount, currency), max });
  const heading = el("strong", { tabindex: "-1" }, spent);
  const revoke: HTMLButtonElement = button(
    WORDS.revoke,
    async () => {
      const answer = await call(`/commerce/mandates/${mandate.mandate_id}`, {
        method: "DELETE",
        body: {},
      });
      if (answer.status !== 200) return announce(reasonOf(answer));
      row.replaceWith(mandateRow(answer.json as unknown as Mandate, names));
      announce(WORDS.mandateRevoked);
      document.getElementById("crm-mandates-title")?.focus();
    },
    { class: "plain small", "aria-label": fill(WORDS.revokeMandate, { max }) },
  );
  const row = el(
    "li",
    { class: status === "active" ? null : "over" },
    el(
      "div",
      { class: "split" },
      el("div", {}, heading, " ", state),
      status === "active" && revoke,
    ),
    el("meter", {
      min: "0",
      max: mandate.max_amount,
      value: mandate.spent_amount,
      "aria-label": spent,
    }),
    el(
      "small",
      {},
      status === "active" &&
        `${fill(WORDS.mandateLeft, { left: money(left(mandate), currency) })}, `,
      `${scopeOf(mandate.scope)}, ${WORDS[mandate.usage]}, ${fill(WORDS.mandateUntil, { when: when(mandate.expires_at) })}`,
    ),
    el("small", {}, isolated(agentsOf(mandate, names))),
  );
  return row;
}

function more(cursor: string | null, list: HTMLElement, names: Names): Child {
  if (cursor === null) return null;
  const control: HTMLButtonElement = button(
    WORDS.more,
    async () => {
      const page = await get<Page>(
        `/commerce/mandates?limit=20&cursor=${encodeURIComponent(cursor)}`,
      ).catch((error: unknown) => announce(error instanceof Error ? error.message : WORDS.failed));
      if (!page) return;
      const added = page.mandates.map((mandate) => mandateRow(mandate, names));
      list.append(...added);
      control.replaceWith(more(page.next_cursor, list, names) || "");
      added[0]?.querySelector<HTMLElement>("button, [tabindex]")?.focus();
    },
    { class: "plain" },
  );
  return control;
}

export function mandatesSection(): { section: HTMLElement; reload(): void } {
  const { section, place } = createSection("mandates", WORDS.mandates);
  const load = async (): Promise<Child[]> => {
    const [{ mandates, next_cursor: next }, { grants }] = await Promise.all([
      get<Page>("/commerce/mandates?limit=20"),
      get<Grants>("/oauth/grants?limit=100"),
    ]);
    if (mandates.length === 0) return [el("p", {}, WORDS.mandatesEmpty)];
    const names: Names = new Map(grants.map((grant) => [grant.client_id, grant.client_name]));
    const list = el(
      "ul",
      { class: "rows" },
      ...mandates.map((mandate) => mandateRow(mandate, names)),
    );
    return [list, more(next, list, names)];
  };
  const reload = (): void => void fillSection(place, load);
  reload();
  return { section, reload };
}
