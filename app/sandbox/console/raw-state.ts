/**
 * The raw state, one part per tab: the store's customers, the webhooks it sent, and what every other
 * system received.
 */
import { metafieldList, signInSection } from "./people-page.ts";
import { inboxTable } from "./inbox-page.ts";
import { details, escapeHtml, table, time } from "./page-layout.ts";
import type { CmsItem } from "../cms/state.ts";
import type { Sandbox } from "../sandbox.ts";
import type { Customer } from "../storefront/state.ts";
import type { WebhookDelivery } from "../storefront/webhooks/delivery.ts";

const SHOWN = 12;

export type RawTab = {
  name: string;
  label: string;
  content(sandbox: Sandbox, shop: string): string;
};

export const RAW_TABS: readonly RawTab[] = [
  {
    name: "customers",
    label: "Customers",
    content: (sandbox, shop) =>
      [...new Set([shop, ...sandbox.storefront.shops()])]
        .map((one) => shopSection(sandbox, one))
        .join(""),
  },
  {
    name: "webhooks",
    label: "Webhooks",
    content: ({ storefront }) =>
      `<section class="card"><h2>Webhooks sent</h2>${deliveryTable(storefront.deliveries())}</section>`,
  },
  { name: "people", label: "People", content: (sandbox) => signInSection(sandbox) },
  { name: "cms", label: "CMS", content: cmsSection },
  { name: "analytics", label: "Web analytics", content: analyticsSection },
  { name: "profiles", label: "Profiles", content: profileSection },
  { name: "mail", label: "Mail", content: inboxSection },
  { name: "business", label: "ERP and retail", content: businessSection },
];

function shopSection(sandbox: Sandbox, shop: string): string {
  const installUrl = new URL(`/auth/install?shop=${encodeURIComponent(shop)}`, sandbox.appUrl())
    .href;
  const isInstalled = sandbox.storefront.isInstalled(shop);
  const status = isInstalled
    ? `<p><span class="good">App installed</span> · <a href="/storefront/${escapeHtml(shop)}/admin/apps">Open it from the store's admin</a></p>`
    : `<p>The app is not installed here. <a href="${escapeHtml(installUrl)}">Install it</a></p>`;
  const isKnown = sandbox.storefront.shops().includes(shop);
  const customers = isKnown ? customerTable(shop, sandbox.storefront.customers(shop)) : "";
  return `<section class="card"><h2>Store ${escapeHtml(shop)}</h2>${status}${isKnown ? `<p><a href="/store/${escapeHtml(shop)}">Visit the store as a shopper</a></p>` : ""}${customers}${newCustomerForm(shop)}</section>`;
}

function newCustomerForm(shop: string): string {
  const freshEmail = `ada.${Date.now().toString(36)}@shopper.example`;
  return `<h3>New customer</h3><form class="row" method="post" action="/_control/customers">
    <input type="hidden" name="shop" value="${escapeHtml(shop)}">
    <label>First name<input name="first_name" value="Ada" required></label><label>Last name<input name="last_name" value="Byron"></label>
    <label>Email<input name="email" type="email" value="${freshEmail}"></label><label>Tags<input name="tags" placeholder="vip, newsletter"></label>
    ${versionSelect()}<button class="primary">New customer</button></form>`;
}

function customerTable(shop: string, customers: Customer[]): string {
  const rows = customers
    .slice(-SHOWN)
    .toReversed()
    .map((customer, index) => {
      const hidden = `<input type="hidden" name="shop" value="${escapeHtml(shop)}"><input type="hidden" name="gid" value="${escapeHtml(customer.gid)}">`;
      const input = (name: "first" | "last", value: string | null): string =>
        `<input name="patch.${name}_name" aria-label="${name === "first" ? "First" : "Last"} name of customer ${index + 1}" size="8" value="${escapeHtml(value)}">`;
      return [
        `${escapeHtml(customer.email ?? customer.phone ?? "no address")}<br><span class="quiet">${escapeHtml(customer.gid.replace("gid://shopify/Customer/", ""))}</span>`,
        `${escapeHtml(customer.tags.join(", "))}${metafieldList(customer.metafields)}`,
        time(customer.updatedAt),
        `<form class="row" method="post" action="/_control/customers/change">${hidden}
        ${input("first", customer.firstName)}${input("last", customer.lastName)}
        ${versionSelect(`Payload for customer ${index + 1}`)}<button>Change name</button></form>`,
      ];
    });
  const more =
    customers.length > SHOWN
      ? `<p class="quiet">The newest ${SHOWN} of ${customers.length}.</p>`
      : "";
  return (
    table(["Customer", "Tags and metafields", "Updated (UTC)", "Name"], rows, "No customers yet.") +
    more
  );
}

function versionSelect(hiddenLabel?: string): string {
  const select = `<select name="api_version"${hiddenLabel ? ` aria-label="${escapeHtml(hiddenLabel)}"` : ""}><option>2026-07</option><option>2024-10</option></select>`;
  return hiddenLabel ? select : `<label>Payload${select}</label>`;
}

function deliveryTable(deliveries: WebhookDelivery[]): string {
  const rows = deliveries
    .slice(-SHOWN)
    .toReversed()
    .map((delivery) => {
      const isGood = delivery.status !== null && delivery.status >= 200 && delivery.status < 300;
      return [
        time(delivery.triggeredAt),
        `<code>${escapeHtml(delivery.topic)}</code>`,
        `<code>${escapeHtml(new URL(delivery.uri).pathname)}</code>`,
        `<span class="${isGood ? "good" : "bad"}">${escapeHtml(delivery.status ?? (delivery.error === "TimeoutError" ? "timed out" : "no answer"))}</span>`,
        `${delivery.ms.toFixed(1)} ms`,
        details("payload", delivery.payload),
      ];
    });
  return table(
    ["Sent (UTC)", "Topic", "To", "Answer", "Took", "Body"],
    rows,
    "None yet. Make or change a customer above.",
  );
}

function cmsSection(sandbox: Sandbox): string {
  const rows = sandbox.cms.collections().flatMap((collection) =>
    Object.values(collection.items)
      .toReversed()
      .slice(0, SHOWN)
      .map((item) => [
        escapeHtml(collection.displayName),
        `${escapeHtml(item.fieldData["name"])}<br>${details(String(item.fieldData["slug"]), item.fieldData)}`,
        publication(item),
        time(item.lastUpdated),
      ]),
  );
  return `<section class="card"><h2>CMS</h2>${table(["Collection", "Item", "State", "Updated"], rows, "No items.")}</section>`;
}

function publication(item: CmsItem): string {
  if (item.lastPublished !== null) return '<span class="bad">published</span>';
  return item.isDraft ? "draft" : '<span class="bad">goes live with the site</span>';
}

function analyticsSection(sandbox: Sandbox): string {
  const rows = sandbox.analytics
    .hits()
    .slice(-SHOWN)
    .toReversed()
    .map((hit) => {
      const events = (hit.body as { events?: { name?: string }[] } | null)?.events;
      const names = Array.isArray(events) ? events.map((event) => event.name ?? "").join(", ") : "";
      const verdict =
        hit.violations.length === 0
          ? '<span class="good">within limits</span>'
          : details(
              hit.violations.length === 1 ? "1 violation" : `${hit.violations.length} violations`,
              hit.violations,
            );
      return [time(hit.at), details(names || "(no events)", hit.body), verdict];
    });
  return `<section class="card"><h2>Web analytics</h2>${table(["Received", "Events", "Limits"], rows, "No hits.")}</section>`;
}

function profileSection(sandbox: Sandbox): string {
  const newest = Object.entries(sandbox.profilePlatform.profiles()).slice(-SHOWN).toReversed();
  const rows = newest.map(([identity, entity]) => [details(identity, entity)]);
  const deletions = sandbox.profilePlatform.deletions().length;
  return `<section class="card"><h2>Profile platform</h2>${table(["Profile"], rows, "No profiles.")}<p class="quiet">Deletion requests: ${deletions}</p></section>`;
}

function inboxSection(sandbox: Sandbox): string {
  return `<section class="card"><h2>Email inbox</h2>${inboxTable(sandbox.email.inbox(), SHOWN)}</section>`;
}

function businessSection(sandbox: Sandbox): string {
  const newest = <Entry>(entries: Entry[]): Entry[] => entries.slice(-SHOWN).toReversed();
  const documents = newest(sandbox.erp.documents()).map(({ at, path, method, number, body }) => [
    time(at),
    `<code>${escapeHtml(path)}</code>`,
    details(`${method} ${number}`, body),
  ]);
  const records = newest(sandbox.retailAnalyticsB.records()).map(({ at, path, body }) => [
    time(at),
    details(path, body),
  ]);
  return `<section class="card"><h2>ERP</h2>${table(["Received", "Path", "Document"], documents, "No documents.")}</section>
    <section class="card"><h2>Retail analytics B</h2>${table(["Received", "Record"], records, "No records.")}</section>`;
}
