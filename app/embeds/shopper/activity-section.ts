// What the shopper's agents asked, newest first, with the outcome. It stays current while the page is open.
import {
  announce,
  button,
  createSection,
  el,
  fillSection,
  isolated,
  type Child,
} from "./elements.ts";
import { fill, money, when, WORDS } from "./page-data.ts";
import { get } from "./session.ts";

type Call = {
  id: number;
  at: string;
  agent: string | null;
  operation: string;
  outcome: "done" | "refused" | "failed";
  code: string | null;
  amount: string | null;
  currency: string | null;
  calls: number;
};
type Page = { activity: Call[]; next_cursor: string | null };

const ACTIVITY = "/oauth/activity?limit=10";
const LOOK_EVERY_MS = 5_000;

const ASKED: Readonly<Record<string, keyof typeof WORDS>> = {
  get_identity: "asked_saw_profile",
  get_consent: "asked_saw_consent",
  get_tags: "asked_saw_tag",
  list_orders: "asked_saw_order",
  get_order: "asked_saw_order",
  get_return: "asked_saw_return",
  get_checkout: "asked_saw_checkout",
  get_mandate: "asked_saw_mandate",
  list_mandates: "asked_saw_mandate",
  create_checkout: "asked_changed_checkout",
  update_checkout: "asked_changed_checkout",
  complete_checkout: "asked_changed_checkout",
  cancel_checkout: "asked_changed_checkout",
  create_mandate: "asked_changed_mandate",
  revoke_mandate: "asked_changed_mandate",
  search_catalog: "asked_searched",
  lookup_catalog: "asked_searched",
  get_product: "asked_searched",
  create_cart: "asked_cart",
  get_cart: "asked_cart",
  update_cart: "asked_cart",
  cancel_cart: "asked_cart",
  pay_checkout: "asked_paid",
  link_agent: "asked_linked",
  unlink_agent: "asked_unlinked",
};

function reasonOf({ outcome, code }: Call): string | null {
  if (outcome === "done") return null;
  if (outcome === "failed") return WORDS.call_failed;
  if (code === "agent_consent_required" || code === "payment_consent_required")
    return WORDS.refused_consent;
  if (code === "insufficient_scope") return WORDS.refused_scope;
  if (code === "invalid_token" || code === "unauthorized") return WORDS.refused_access;
  return code?.startsWith("mandate_") ? WORDS.refused_mandate : WORDS.refused_other;
}

function row(call: Call): HTMLElement {
  const { agent, operation, amount, currency, calls } = call;
  const reason = reasonOf(call);
  const name = ASKED[operation] ?? "asked_other";
  return el(
    "li",
    { class: reason === null ? null : "over" },
    el(
      "div",
      { class: "split" },
      el(
        "div",
        {},
        el("strong", {}, WORDS[name]),
        amount !== null && currency !== null && ` ${money(amount, currency)}`,
        calls > 1 && ` ${fill(WORDS.times, { count: String(calls) })}`,
      ),
      el("span", { class: "quiet" }, when(call.at)),
    ),
    el("small", {}, isolated(agent ?? WORDS.agentOfSession)),
    reason !== null && el("small", {}, reason),
  );
}

export function activitySection(): { section: HTMLElement; reload(): void } {
  const { section, place } = createSection("activity", WORDS.activity, WORDS.activityText);
  let newest = "";
  let isExtended = false;
  const markOf = ({ activity: [first] }: Page) => `${first?.at} ${first?.id} ${first?.calls}`;
  const more = (cursor: string | null, list: HTMLElement): Child => {
    if (cursor === null) return null;
    const control: HTMLButtonElement = button(
      WORDS.more,
      async () => {
        const page = await get<Page>(`${ACTIVITY}&cursor=${encodeURIComponent(cursor)}`).catch(
          (error: unknown) => announce(error instanceof Error ? error.message : WORDS.failed),
        );
        if (!page) return;
        // The list would lose its older rows.
        isExtended = true;
        const added = page.activity.map(row);
        for (const item of added) item.tabIndex = -1;
        list.append(...added);
        control.replaceWith(more(page.next_cursor, list) || "");
        added[0]?.focus();
      },
      { class: "plain" },
    );
    return control;
  };
  const toChildren = (page: Page): Child[] => {
    newest = markOf(page);
    isExtended = false;
    if (page.activity.length === 0) return [el("p", {}, WORDS.activityEmpty)];
    const list = el("ul", { class: "rows" }, ...page.activity.map(row));
    return [list, more(page.next_cursor, list)];
  };
  const load = async (): Promise<Child[]> => toChildren(await get<Page>(ACTIVITY));
  const look = async (): Promise<void> => {
    if (document.visibilityState !== "visible" || isExtended) return;
    const page = await get<Page>(ACTIVITY);
    const isBusy = section.contains(document.activeElement) || isExtended;
    if (!isBusy && markOf(page) !== newest) await fillSection(place, async () => toChildren(page));
  };
  const timer = setInterval(() => {
    if (section.isConnected) look().catch(() => {});
    else clearInterval(timer);
  }, LOOK_EVERY_MS);
  const reload = (): void => void fillSection(place, load);
  reload();
  return { section, reload };
}
