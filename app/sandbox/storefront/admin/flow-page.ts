/** Shopify Flow in the simulated admin: the triggers that the app sent, and its actions to run. */
import { fieldsOf, textOf, type Call } from "../../exchange.ts";
import { html, trusted, type Html } from "../../html.ts";
import {
  findFlowExtension,
  flowExtensions,
  type DeclaredField,
  type FlowExtension,
} from "../flow/flow-extensions.ts";
import { runFlowAction, type FlowRun } from "../flow/flow-runs.ts";
import type { ReceivedTrigger } from "../flow/flow-triggers.ts";
import type { ShopState } from "../state.ts";
import type { AppCredentials } from "../tokens.ts";
import {
  adminPath,
  appName,
  badge,
  customerName,
  dateOf,
  headed,
  table,
  toId,
  type AdminApp,
  type AdminPage,
} from "./admin-layout.ts";
import { findCustomer } from "./customer-pages.ts";

const SECTION = "/flow";
const SHOWN = 50;
const OFFERED_CUSTOMERS = 50;
const MAX_TEXT = 255;
const CUSTOMER_KEY = "customer_id";

const ofType = (type: FlowExtension["type"]) => flowExtensions().filter((one) => one.type === type);

export function flowPage(shop: ShopState, app: AdminApp): AdminPage {
  const triggers = shop.flowTriggers ?? [];
  const settings = adminPath(shop, `/apps/${app.handle}/app/settings/integrations/flow`);
  return {
    title: "Flow",
    section: SECTION,
    content: headed(
      "Flow",
      html`<p class="banner">
          ${appName(app)} sends its triggers once Shopify Flow is switched on in
          <a href="${settings}">its settings</a>. Its actions run without that.
        </p>
        ${customerOptions(shop)}
        <div class="cards">${ofType("flow_action").map((action) => actionForm(shop, action))}</div>
        <section class="card flush">
          <h2>Actions run</h2>
          ${table(
            ["Action", "Answer"],
            (shop.flowRuns ?? []).map((run) => runRow(shop, run)),
            "No action was run yet.",
          )}
        </section>
        <section class="card flush">
          <h2>Triggers received</h2>
          ${table(
            ["Trigger", "Values"],
            triggers.slice(0, SHOWN).map((trigger) => triggerRow(shop, trigger)),
            "No trigger was received yet.",
          )}
        </section>`,
      html`<p>${triggers.length} triggers received</p>`,
    ),
  };
}

/** The newest customers: their ids are offered in the fields of the actions. */
function customerOptions(shop: ShopState): Html {
  const newest = Object.values(shop.customers).slice(-OFFERED_CUSTOMERS).toReversed();
  return html`<datalist id="flow-customers">
    ${newest.map((one) => html`<option value="${toId(one.gid)}">${customerName(one)}</option>`)}
  </datalist>`;
}

function actionForm(shop: ShopState, { name, handle, description, fields }: FlowExtension): Html {
  return html`<section class="card">
    <h2>${name}</h2>
    <form class="fields" method="post" action="${adminPath(shop, SECTION)}">
      <p class="quiet">${description}.</p>
      <input type="hidden" name="action" value="${handle}" />
      ${fields.map((field) => fieldOf(shop, field))}
      <div><button class="button primary" aria-label="Run action: ${name}">Run action</button></div>
    </form>
  </section>`;
}

function fieldOf(shop: ShopState, field: DeclaredField): Html {
  const isCustomer = field.type === "customer_reference";
  const first = Object.values(shop.customers).at(-1);
  const required = trusted(field.required ? " required" : "");
  return html`<label
    >${isCustomer ? "Customer" : field.name}<input
      type="text"
      name="${isCustomer ? CUSTOMER_KEY : field.key}"
      maxlength="${MAX_TEXT}"
      value="${isCustomer && first ? toId(first.gid) : ""}"
      ${trusted(isCustomer ? ' list="flow-customers"' : "")}
      ${required}
    /><span class="help"
      >${isCustomer ? "The number of a customer" : field.description}</span
    ></label
  >`;
}

function runRow(shop: ShopState, run: FlowRun): Html[] {
  const { id, at, handle, properties, status, answer } = run;
  const name = findFlowExtension("flow_action", handle)?.name ?? handle;
  return [
    html`${name}<span class="below-name">${dateOf(shop, at)}</span>${valueList(shop, properties)}`,
    html`<p>${outcomeBadge(status)} <code>${answer}</code></p>
      <form method="post" action="${adminPath(shop, SECTION)}">
        <input type="hidden" name="again" value="${id}" />
        <button class="button" aria-label="Send again: ${name}, ${at}">Send again</button>
      </form>`,
  ];
}

/** What the platform does with the answer. */
function outcomeBadge(status: number | null): Html {
  if (status === 200) return badge("200, done", "good");
  if (status === null) return badge("No answer, will be repeated", "attention");
  const isRepeated = status === 202 || status === 429 || status >= 500;
  return badge(`${status}, ${isRepeated ? "will be repeated" : "failed"}`, "attention");
}

const triggerRow = (shop: ShopState, { at, handle, payload }: ReceivedTrigger): Html[] => [
  html`${findFlowExtension("flow_trigger", handle)?.name ?? handle}<span class="below-name"
      >${dateOf(shop, at)}</span
    >`,
  valueList(shop, payload),
];

/** A customer's number leads to the customer. */
function valueList(shop: ShopState, values: Record<string, unknown>): Html {
  const shown = ([key, value]: [string, unknown]): Html => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const customer = key === CUSTOMER_KEY ? findCustomer(shop, text) : undefined;
    return customer
      ? html`<a href="${adminPath(shop, `/customers/${text}`)}">${customerName(customer)}</a>`
      : html`${text === "" ? "empty" : text}`;
  };
  return html`<ul class="values">
    ${Object.entries(values).map(
      (entry) =>
        html`<li>
          <span class="quiet">${entry[0] === CUSTOMER_KEY ? "Customer" : entry[0]}:</span>
          ${shown(entry)}
        </li>`,
    )}
  </ul>`;
}

/** The posted form: an action with its fields, or an earlier run that is sent again. */
export async function takeFlowForm(
  shop: ShopState,
  app: AppCredentials & { url: string },
  call: Call,
): Promise<void> {
  const form = fieldsOf(call.body);
  const earlier = shop.flowRuns?.find(({ id }) => id === form["again"]);
  const action = findFlowExtension("flow_action", earlier?.handle ?? textOf(form["action"]));
  if (!action) return;
  const properties = Object.fromEntries(
    action.fields.map((field) => {
      const key = field.type === "customer_reference" ? CUSTOMER_KEY : (field.key ?? "");
      return [key, textOf(form[key]).trim().slice(0, MAX_TEXT)];
    }),
  );
  await runFlowAction(shop, app, action, earlier?.properties ?? properties, earlier?.id);
}
