// The customer's data: a file with all of it, and its deletion.
import { useState } from "preact/hooks";
import { ConfirmButton } from "./confirm-button.tsx";
import { Problem } from "./loading.tsx";
import { t } from "./platform.ts";
import { call } from "./service.ts";

type Props = {
  /** What is typed to delete. */
  phrase: string;
  onDeleted(): Promise<void>;
};

export function OwnData({ phrase, onDeleted }: Props) {
  return (
    <s-section heading={t("data.title")}>
      <Export />
      <s-divider />
      <Deletion phrase={phrase} onDeleted={onDeleted} />
    </s-section>
  );
}

function Export() {
  const [url, setUrl] = useState<string | null>(null);
  const [code, setCode] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  const prepare = async () => {
    setIsBusy(true);
    const answer = await call<{ url: string }>("POST", "/export");
    setCode(answer.ok ? null : answer.code);
    setUrl(answer.ok ? answer.data.url : null);
    setIsBusy(false);
  };

  return (
    <s-stack gap="small-200">
      <s-text type="strong">{t("data.export")}</s-text>
      <s-paragraph color="subdued">{t(url ? "data.prepared" : "data.exportText")}</s-paragraph>
      <Problem code={code} />
      <s-box>
        {url ? (
          // The link works once.
          <s-button variant="primary" href={url} target="_blank" onClick={() => setUrl(null)}>
            {t("data.download")}
          </s-button>
        ) : (
          <s-button loading={isBusy} onClick={() => void prepare()}>
            {t("data.prepare")}
          </s-button>
        )}
      </s-box>
    </s-stack>
  );
}

function Deletion({ phrase, onDeleted }: Props) {
  const [typed, setTyped] = useState("");
  const [code, setCode] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const isTyped = typed.trim().toLowerCase() === phrase.toLowerCase();

  const remove = async () => {
    setIsBusy(true);
    const answer = await call("DELETE", "", { typed });
    setCode(answer.ok ? null : answer.code);
    if (answer.ok) await onDeleted();
    setIsBusy(false);
  };

  return (
    <s-stack gap="small-200">
      <s-text type="strong">{t("data.delete")}</s-text>
      <s-paragraph color="subdued">{t("data.deleteText")}</s-paragraph>
      <Problem code={code} />
      <s-box>
        <ConfirmButton
          id="delete"
          label={t("data.delete")}
          accessibilityLabel={t("data.delete")}
          heading={t("data.delete")}
          confirm={t("data.deleteNow")}
          isBusy={isBusy}
          isReady={isTyped}
          onConfirm={() => void remove()}
        >
          <s-paragraph>{t("data.deleteText")}</s-paragraph>
          <s-text-field
            label={t("data.typed", { phrase })}
            value={typed}
            autocomplete="off"
            onInput={({ currentTarget }) =>
              setTyped((currentTarget as unknown as { value: string }).value)
            }
          />
        </ConfirmButton>
      </s-box>
    </s-stack>
  );
}
