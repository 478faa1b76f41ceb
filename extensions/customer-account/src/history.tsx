// The customer's records in the store's consent log, newest first, each with its receipt.
import { useEffect, useState } from "preact/hooks";
import { Problem } from "./loading.tsx";
import { t, timeOf, toast } from "./platform.ts";
import { call, CONSENT_TYPES, type ConsentRecord, type History, type Receipt } from "./service.ts";

const PAGE = 5;
const TYPES: readonly string[] = CONSENT_TYPES;
const DECISIONS = ["mandate_created", "mandate_used", "mandate_revoked"];
const METHODS = [
  "banner",
  "signup",
  "dashboard",
  "compliance_page",
  "federated_oauth",
  "storefront_oidc",
  "oauth_consent",
  "commerce",
  "password_reset",
  "verify_email",
  "account_delete",
  "account_extension",
  "flow_request",
];

/** `version` changes with every decision made elsewhere on the page. */
export function HistoryList({ version }: { version: string }) {
  const [records, setRecords] = useState<ConsentRecord[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [code, setCode] = useState<string | null>(null);

  const read = async (cursor: string | null) => {
    const query = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = await call<History>("GET", `/history?limit=${PAGE}${query}`);
    setCode(answer.ok ? null : answer.code);
    if (!answer.ok) return;
    const { records: page, next_cursor: after } = answer.data;
    setRecords((known) => (cursor === null ? page : [...(known ?? []), ...page]));
    setNext(after);
  };
  useEffect(() => void read(null), [version]);

  return (
    <s-section heading={t("history.title")}>
      <Problem code={code} />
      {records === null && code === null && <s-skeleton-paragraph />}
      {records?.length === 0 && <s-paragraph color="subdued">{t("history.empty")}</s-paragraph>}
      <s-stack gap="base">
        {records?.map((record, index) => (
          <Row
            key={record.id}
            record={record}
            canWithdraw={isOfForm(record) && isLatest(records, index)}
            onChanged={() => read(null)}
          />
        ))}
      </s-stack>
      {next !== null && <s-button onClick={() => void read(next)}>{t("more")}</s-button>}
    </s-section>
  );
}

/** A consent by a form that was given; those of the switches are withdrawn there. */
const isOfForm = ({ consent_type: type, outcome }: ConsentRecord): boolean =>
  outcome === "granted" && !TYPES.includes(type);

/** Newest first: the first record of a form is the one that holds. */
const isLatest = (records: readonly ConsentRecord[], index: number): boolean =>
  records.findIndex(({ consent_type: type }) => type === records[index]?.consent_type) === index;

type RowProps = { record: ConsentRecord; canWithdraw: boolean; onChanged(): Promise<void> };

function Row({ record, canWithdraw, onChanged }: RowProps) {
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  const [code, setCode] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const what = nameOf(record.consent_type);
  const when = timeOf(record.created_at);

  const show = async () => {
    if (receipt) return setReceipt(null);
    const id = encodeURIComponent(record.consent_id);
    const answer = await call<Receipt>("GET", `/receipts/${id}`);
    setCode(answer.ok ? null : answer.code);
    if (answer.ok) setReceipt(answer.data);
  };
  const withdraw = async () => {
    setBusy(true);
    const body = { type: record.consent_type, granted: false };
    const answer = await call("POST", "/consents", body);
    setCode(answer.ok ? null : answer.code);
    if (answer.ok) {
      toast(t("consents.saved.off", { what }));
      await onChanged();
    }
    setBusy(false);
  };

  return (
    <s-stack gap="small-300">
      <s-stack direction="inline" gap="small" alignItems="center" justifyContent="space-between">
        <s-stack gap="none">
          <s-stack direction="inline" gap="small-200" alignItems="center">
            <s-text type="strong">{what}</s-text>
            <s-badge>{decisionOf(record)}</s-badge>
          </s-stack>
          <s-text type="small" color="subdued">{`${when} · ${methodOf(record.method)}`}</s-text>
        </s-stack>
        <s-stack direction="inline" gap="small-200">
          {canWithdraw && (
            <s-button
              accessibilityLabel={t("history.withdrawOf", { what })}
              disabled={busy}
              onClick={() => void withdraw()}
            >
              {t("history.withdraw")}
            </s-button>
          )}
          <s-button
            accessibilityLabel={t("history.receiptOf", { what, when })}
            onClick={() => void show()}
          >
            {t("history.receipt")}
          </s-button>
        </s-stack>
      </s-stack>
      <Problem code={code} />
      {receipt && <Proof receipt={receipt} type={record.consent_type} />}
    </s-stack>
  );
}

/** Where the decision stands in the log, which cannot be changed afterwards. */
function Proof({ receipt, type }: { receipt: Receipt; type: string }) {
  const entry = receipt.services.find(({ purpose }) => purpose === type)?.chain;
  return (
    <s-box background="subdued" borderRadius="base" padding="small">
      <s-stack gap="small-400">
        <s-text type="small">{t("history.number", { id: receipt.consentReceiptID })}</s-text>
        {entry && <s-text type="small">{t("history.place", { seq: entry.seq })}</s-text>}
        {entry && (
          <s-text type="small" color="subdued">
            {t("history.hash", { hash: entry.hash.replace(/(.{8})(?=.)/g, "$1 ") })}
          </s-text>
        )}
      </s-stack>
    </s-box>
  );
}

/** A consent by its name, the subscription of a form by the form's. */
function nameOf(type: string): string {
  if (TYPES.includes(type)) return t(`consents.names.${type}`);
  const text = type.replace(/[_-]+/g, " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function decisionOf({ action, outcome }: ConsentRecord): string {
  if (outcome) return t(`history.decisions.${outcome}`);
  return DECISIONS.includes(action) ? t(`history.decisions.${action}`) : action;
}

function methodOf(method: string): string {
  const key = method.replaceAll("-", "_");
  if (METHODS.includes(key)) return t(`history.methods.${key}`);
  return t(/form/.test(method) ? "history.methods.form" : "history.methods.other");
}
