// Lists the agents that may act for the shopper, each with a button that revokes access.
import {
  button,
  el,
  fillSection,
  createSection,
  isolated,
  announce,
  type Child,
} from "./elements.ts";
import { DATA, fill, when, WORDS } from "./page-data.ts";
import { call, get, reasonOf } from "./session.ts";

type Grant = {
  id: string;
  client_name: string;
  host: string | null;
  scopes: string[];
  created_at: string;
  last_used_at: string | null;
};
type Page = { grants: Grant[]; next_cursor: string | null };
const GRANTS = "/oauth/grants?limit=20";

export function agentsSection(): { section: HTMLElement; reload(): void } {
  const { section, place } = createSection("agents", WORDS.agents, WORDS.agentsText);
  const row = (grant: Grant): HTMLElement => {
    const revoke = button(
      WORDS.revoke,
      async () => {
        const answer = await call(`/oauth/grants/${grant.id}`, { method: "DELETE", body: {} });
        if (answer.status !== 200) return announce(reasonOf(answer));
        announce(WORDS.agentRevoked);
        await fillSection(place, load);
        document.getElementById("crm-agents-title")?.focus();
      },
      { class: "plain small", "aria-label": fill(WORDS.revokeAgent, { name: grant.client_name }) },
    );
    const used = grant.last_used_at
      ? fill(WORDS.agentUsed, { when: when(grant.last_used_at) })
      : WORDS.agentUnused;
    return el(
      "li",
      {},
      el(
        "div",
        { class: "split" },
        el(
          "div",
          {},
          el("strong", {}, isolated(grant.client_name)),
          grant.host && el("small", {}, isolated(grant.host)),
          el("small", {}, `${fill(WORDS.agentSince, { when: when(grant.created_at) })}, ${used}`),
        ),
        revoke,
      ),
      el(
        "ul",
        { class: "can" },
        ...grant.scopes.map((scope) => el("li", {}, el("span", {}, DATA.scopes[scope] ?? scope))),
      ),
    );
  };
  const more = (cursor: string | null, list: HTMLElement): Child => {
    if (cursor === null) return null;
    const control: HTMLButtonElement = button(
      WORDS.more,
      async () => {
        const page = await get<Page>(`${GRANTS}&cursor=${encodeURIComponent(cursor)}`).catch(
          (error: unknown) => announce(error instanceof Error ? error.message : WORDS.failed),
        );
        if (!page) return;
        const added = page.grants.map(row);
        list.append(...added);
        control.replaceWith(more(page.next_cursor, list) || "");
        added[0]?.querySelector("button")?.focus();
      },
      { class: "plain" },
    );
    return control;
  };
  const load = async (): Promise<Child[]> => {
    const { grants, next_cursor: next } = await get<Page>(GRANTS);
    if (grants.length === 0) return [el("p", {}, WORDS.agentsEmpty)];
    const list = el("ul", { class: "rows" }, ...grants.map(row));
    return [list, more(next, list)];
  };
  const reload = (): void => void fillSection(place, load);
  reload();
  return { section, reload };
}
