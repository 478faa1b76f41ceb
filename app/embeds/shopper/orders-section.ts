// The order list, and one order's items and deliveries.
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
import { get, type Profile } from "./session.ts";

type Money = { amount: string; currency: string };
type Order = {
  id: string;
  name: string;
  created_at: string;
  financial_status: string | null;
  fulfillment_status: string;
  total: Money;
  line_item_count: number;
};
type Whole = Order & {
  line_items: { title: string; quantity: number; price: Money }[];
  fulfillments: {
    status: string;
    created_at: string;
    tracking: { company: string | null; number: string | null; url: string | null }[];
  }[];
};

/** In the page's language; a status that has no word there as the storefront names it. */
function status(text: string | null): string {
  const name = (text ?? "").toLowerCase();
  const own = (WORDS as Record<string, string>)[`order_${name}`];
  return own ?? name.replaceAll("_", " ");
}

async function details(id: string): Promise<Child[]> {
  const { order } = await get<{ order: Whole }>(
    `/commerce/orders/${encodeURIComponent(id.slice(id.lastIndexOf("/") + 1))}`,
  );
  const tracking = order.fulfillments.flatMap((one) => [
    el("p", {}, `${status(one.status)}, ${when(one.created_at)}`),
    ...one.tracking.map(({ company, number, url }) =>
      el(
        "p",
        {},
        company && isolated(`${company} `),
        url
          ? el(
              "a",
              { href: url, target: "_blank", rel: "noopener noreferrer" },
              fill(WORDS.track, { number: number ?? "" }),
              ` (${WORDS.opensNewTab})`,
            )
          : isolated(number ?? ""),
      ),
    ),
  ]);
  return [
    el("h3", {}, WORDS.items),
    el(
      "ul",
      {},
      ...order.line_items.map((line) =>
        el(
          "li",
          {},
          isolated(line.title),
          ` – ${WORDS.quantity} ${line.quantity}, ${money(line.price.amount, line.price.currency)}`,
        ),
      ),
    ),
    el("h3", {}, WORDS.delivery),
    ...(tracking.length === 0 ? [el("p", {}, WORDS.noDelivery)] : tracking),
  ];
}

function orderRow(order: Order): HTMLElement {
  const place = el("div", { class: "inner", hidden: true });
  const control: HTMLButtonElement = button(
    WORDS.details,
    async () => {
      const open = place.hidden;
      place.hidden = !open;
      control.setAttribute("aria-expanded", String(open));
      if (open && place.childElementCount === 0) await fillSection(place, () => details(order.id));
    },
    {
      class: "plain small",
      "aria-expanded": "false",
      "aria-label": fill(WORDS.detailsOf, { name: order.name }),
    },
  );
  const summary = el(
    "div",
    {},
    el("strong", {}, isolated(order.name)),
    ` – ${money(order.total.amount, order.total.currency)}`,
    el(
      "small",
      {},
      `${when(order.created_at)}, ${[order.financial_status, order.fulfillment_status].map(status).filter(Boolean).join(", ")}`,
    ),
  );
  return el("li", {}, el("div", { class: "split" }, summary, control), place);
}

type Page = { orders: Order[]; next_cursor: string | null };

function more(cursor: string | null, list: HTMLElement): Child {
  if (cursor === null) return null;
  const control: HTMLButtonElement = button(
    WORDS.more,
    async () => {
      const page = await get<Page>(
        `/commerce/orders?limit=10&cursor=${encodeURIComponent(cursor)}`,
      ).catch((error: unknown) => announce(error instanceof Error ? error.message : WORDS.failed));
      if (!page) return;
      const added = page.orders.map(orderRow);
      list.append(...added);
      control.replaceWith(more(page.next_cursor, list) || "");
      added[0]?.querySelector("button")?.focus();
    },
    { class: "plain" },
  );
  return control;
}

export function ordersSection({ user }: Profile): HTMLElement {
  const { section, place } = createSection("orders", WORDS.orders, WORDS.ordersText);
  if (!user.email_verified && user.provider !== "storefront") {
    place.replaceChildren(el("p", {}, WORDS.ordersUnproven));
    place.setAttribute("aria-busy", "false");
    return section;
  }
  void fillSection(place, async () => {
    const { orders, next_cursor: next } = await get<Page>("/commerce/orders?limit=10");
    if (orders.length === 0) return [el("p", {}, WORDS.ordersEmpty)];
    const list = el("ul", { class: "rows" }, ...orders.map(orderRow));
    return [list, more(next, list)];
  });
  return section;
}
