// Consents as switches that grant or revoke at once, and the consent history with receipts.
import { CONSENT_KEY } from "../storage-keys.ts";
import { storeAnswers } from "./browser-choice.ts";
import {
  button,
  busyWhile,
  el,
  fillSection,
  createSection,
  announce,
  saveFile,
  type Child,
  labelled,
} from "./elements.ts";
import { DATA, fill, when, WORDS, type ProxiedCustomer } from "./page-data.ts";
import { postThroughProxy, call, get, reasonOf, type Answer, type Profile } from "./session.ts";

type Consents = Record<string, boolean>;
type ConsentHistoryRow = {
  consent_type: string;
  action: string;
  /** Null for a mandate's event. */
  outcome: "granted" | "declined" | "withdrawn" | null;
  method: string;
  consent_id: string;
  created_at: string;
};

const word = (name: string): string => (WORDS as Record<string, string>)[name] ?? name;
const messageOr = (name: string, fallback: string): string =>
  Object.hasOwn(WORDS, name) ? word(name) : fallback;
/** A consent by its name, the subscription of a form by the form's: `spring_club` is Spring club. */
function nameOf(type: string): string {
  const text = type.replace(/[_-]+/g, " ");
  return messageOr(
    `consent_${type}`,
    messageOr(`form_${type}`, text.charAt(0).toUpperCase() + text.slice(1)),
  );
}
/** How a consent was given. What has no name here came from a form or a page of the store. */
const methodLabel = (method: string): string =>
  messageOr(`method_${method}`, /form/.test(method) ? WORDS.method_form : WORDS.method_other);
const switches = () => [
  "cookie",
  "marketing",
  ...(DATA.agentAccess ? ["a2a"] : []),
  ...(DATA.agentPayments ? ["ap2"] : []),
];

/** Why a decision was not recorded; null when it was. */
const refusalOf = (sent: Promise<Answer>): Promise<string | null> =>
  sent.then(
    (answer) => (answer.status === 200 ? null : reasonOf(answer)),
    (error: unknown) => (error instanceof Error ? error.message : WORDS.failed),
  );

function switchRow(
  name: string,
  consents: Consents,
  send: (name: string, value: boolean) => Promise<Answer>,
  onChange: () => void,
): HTMLElement {
  const label = (): string => (consents[name] ? WORDS.on : WORDS.off);
  const fault = el("p", { class: "error", role: "alert", hidden: true });
  const control: HTMLButtonElement = el(
    "button",
    {
      type: "button",
      role: "switch",
      "aria-checked": String(Boolean(consents[name])),
      "aria-labelledby": `crm-consent-${name}`,
      "aria-describedby": `crm-consent-${name}-help`,
      click: () => void busyWhile(control, turn),
    },
    label(),
  );
  async function turn(): Promise<void> {
    const next = !consents[name];
    fault.hidden = true;
    const reason = await refusalOf(send(name, next));
    if (reason !== null) {
      fault.textContent = reason;
      fault.hidden = false;
      return;
    }
    consents[name] = next;
    updateStoreConsent(name, next);
    control.setAttribute("aria-checked", String(next));
    control.textContent = label();
    announce(labelled(word(`consent_${name}`), next ? WORDS.granted : WORDS.withdrawn));
    onChange();
  }
  return el(
    "li",
    {},
    el(
      "div",
      { class: "split" },
      el(
        "div",
        {},
        el("span", { id: `crm-consent-${name}` }, word(`consent_${name}`)),
        el("small", { id: `crm-consent-${name}-help` }, word(`consentHelp_${name}`)),
      ),
      control,
    ),
    fault,
  );
}

/**
 * Updates the choice in the store's own storage, so that the next page starts with the current one.
 */
function updateStoreConsent(name: string, value: boolean): void {
  if (DATA.proxy === null || !["cookie", "marketing"].includes(name)) return;
  storeAnswers(CONSENT_KEY, { [name]: value });
}

const fixedRow = (name: string, consents: Consents): HTMLElement =>
  el(
    "li",
    { class: "split" },
    el("span", {}, word(`consent_${name}`)),
    el("span", {}, consents[name] ? WORDS.given : WORDS.notGiven),
  );

/** Sent with every decision that is made here. */
const decision = () => ({
  method: "dashboard",
  source_page: location.pathname,
  timestamp: new Date().toISOString(),
  ...(DATA.policyVersion && { consent_version: DATA.policyVersion }),
});
const flag = (name: string, value: boolean) => ({ ...decision(), [`consent_${name}`]: value });

/** A consent by a form that was given; those with a switch above are withdrawn there. */
const isOfForm = ({ consent_type: type, outcome }: ConsentHistoryRow): boolean =>
  outcome === "granted" && !Object.hasOwn(WORDS, `consent_${type}`);

/** `onChange` runs after a change: other sections depend on the consents. */
export function consentsSection({ consents }: Profile, onChange: () => void): HTMLElement {
  const { section, place } = createSection("consents", WORDS.consents, WORDS.consentsText);
  const history = el("div", { class: "inner" });
  const log = historyOf(history);
  const details = el(
    "details",
    { class: "history", toggle: () => void log.open(details.open) },
    el("summary", { id: "crm-history-title" }, WORDS.history),
    history,
    button(
      WORDS.csv,
      async () => {
        const answer = await call("/ucp/consent-history?format=csv");
        if (answer.status === 200) saveFile("consent-history.csv", "text/csv", answer.text);
        else announce(reasonOf(answer));
      },
      { class: "plain small" },
    ),
  );
  const send = (name: string, value: boolean) =>
    call("/auth/consent-sync", { method: "POST", body: flag(name, value) });
  const rows = switches().map((name) =>
    switchRow(name, consents, send, () => {
      void log.reload();
      onChange();
    }),
  );
  place.replaceChildren(
    el(
      "ul",
      { class: "rows" },
      ...rows,
      ...["tos", "privacy"].map((name) => fixedRow(name, consents)),
    ),
    el("p", { class: "quiet" }, WORDS.withTheAccount),
    details,
  );
  place.setAttribute("aria-busy", "false");
  return section;
}

/** For a customer identified by the storefront's proxy only: the switches without the history. */
export function customerConsents(customer: ProxiedCustomer): HTMLElement {
  const { section, place } = createSection("consents", WORDS.consents, WORDS.consentsText);
  const send = (name: string, value: boolean) =>
    postThroughProxy("/auth/consent-sync", flag(name, value));
  place.replaceChildren(
    el(
      "ul",
      { class: "rows" },
      ...switches().map((name) => switchRow(name, customer.consents, send, () => undefined)),
    ),
  );
  place.setAttribute("aria-busy", "false");
  return section;
}

const HISTORY = "/ucp/consent-history?limit=10&include=outcome";

/** Loaded when it is opened, and again after a change while it is open. */
function historyOf(place: HTMLElement): {
  reload(): Promise<void>;
  open(isOpen: boolean): Promise<void>;
} {
  // Newest first: the first row of a form says what holds.
  const seen = new Set<string>();
  const rows = (records: ConsentHistoryRow[]): HTMLElement[] =>
    records.map((record) => {
      const isLatest = !seen.has(record.consent_type);
      seen.add(record.consent_type);
      return historyRow(record, isLatest && isOfForm(record) ? withdraw : null);
    });
  const withdraw = async ({ consent_type: form }: ConsentHistoryRow): Promise<void> => {
    const answer = await call("/auth/consent-sync", {
      method: "POST",
      body: { ...decision(), form_type: form, form_consent: false },
    });
    if (answer.status !== 200) return announce(reasonOf(answer));
    announce(labelled(nameOf(form), WORDS.withdrawn));
    await reload();
  };
  const load = async (): Promise<Child[]> => {
    seen.clear();
    const { records, next_cursor: next } = await get<{
      records: ConsentHistoryRow[];
      next_cursor: string | null;
    }>(HISTORY);
    if (records.length === 0) return [el("p", {}, WORDS.historyEmpty)];
    const body = el("tbody", {}, ...rows(records));
    const head = [WORDS.when, WORDS.what, WORDS.decision, WORDS.how, WORDS.receipt].map((text) =>
      el("th", { scope: "col" }, text),
    );
    const table = el(
      "div",
      { class: "table", tabindex: "0", role: "group", "aria-labelledby": "crm-history-title" },
      el(
        "table",
        { "aria-labelledby": "crm-history-title" },
        el("thead", {}, el("tr", {}, ...head)),
        body,
      ),
    );
    return [table, more(next, body)];
  };
  const more = (cursor: string | null, body: HTMLElement): Child => {
    if (cursor === null) return null;
    const control: HTMLButtonElement = button(
      WORDS.more,
      async () => {
        const page = await get<{ records: ConsentHistoryRow[]; next_cursor: string | null }>(
          `${HISTORY}&cursor=${encodeURIComponent(cursor)}`,
        ).catch(() => null);
        if (!page) return announce(WORDS.failed);
        const added = rows(page.records);
        body.append(...added);
        control.replaceWith(more(page.next_cursor, body) || "");
        added[0]?.querySelector("button")?.focus();
      },
      { class: "plain" },
    );
    return control;
  };
  let isShown = false;
  const reload = async (): Promise<void> => {
    if (isShown) await fillSection(place, load);
  };
  return {
    reload,
    open(isOpen) {
      isShown = isOpen;
      return reload();
    },
  };
}

function historyRow(
  record: ConsentHistoryRow,
  withdraw: ((record: ConsentHistoryRow) => Promise<void>) | null,
): HTMLElement {
  const what = nameOf(record.consent_type);
  const end =
    withdraw &&
    button(WORDS.withdrawForm, () => withdraw(record), {
      class: "plain small",
      "aria-label": fill(WORDS.withdrawOf, { what }),
    });
  const receipt = button(
    WORDS.receipt,
    async () => {
      const answer = await call(`/ucp/consent-receipt/${encodeURIComponent(record.consent_id)}`);
      if (answer.status === 200) saveFile("consent-receipt.json", "application/json", answer.text);
      else announce(reasonOf(answer));
    },
    {
      class: "plain small",
      "aria-label": fill(WORDS.receiptOf, { what, when: when(record.created_at) }),
    },
  );
  return el(
    "tr",
    {},
    el("td", {}, when(record.created_at)),
    el("td", {}, el("bdi", {}, what)),
    el("td", {}, messageOr(record.outcome ?? record.action, WORDS.method_other)),
    el("td", {}, methodLabel(record.method)),
    el("td", {}, receipt, end),
  );
}
