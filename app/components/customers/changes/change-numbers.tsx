// How many customers a bulk change meant, changed and left, and the file of those whom it refused.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, Text } from "@shopify/polaris";
import { useState } from "react";
import type { ListedRun } from "../../../domain/customers/bulk/list-runs.ts";
import { formatCount } from "../../i18n/format-number.ts";
import { useLocale } from "../../i18n/locale.ts";
import { useLabelled } from "../../i18n/use-labelled.ts";
import { download } from "../../ui/download.ts";
import { WrappingText } from "../../ui/layout.tsx";
import { showErrorToast, showToast } from "../../ui/toast.ts";

const ALWAYS = ["total", "changed", "unchanged", "refused"] as const;
const WHERE_ANY = ["left", "unknown"] as const;

type Props = { run: ListedRun; change: string };

export function ChangeNumbers({ run, change }: Props) {
  const { t } = useTranslation("changes");
  const locale = useLocale();
  const labelled = useLabelled();
  const shown = [...ALWAYS, ...WHERE_ANY.filter((name) => run[name] > 0)];
  return (
    <WrappingText>
      <BlockStack inlineAlign="start">
        {shown.map((name) => (
          <Text key={name} as="span" numeric>
            {labelled(t(`numbers.${name}`), formatCount(locale, run[name]))}
          </Text>
        ))}
        {run.refused > 0 && <Refused run={run} change={change} />}
      </BlockStack>
    </WrappingText>
  );
}

function Refused({ run, change }: Props) {
  const { t } = useTranslation(["changes", "customers"]);
  const locale = useLocale();
  const [isBusy, setIsBusy] = useState(false);
  const get = async () => {
    setIsBusy(true);
    const query = new URLSearchParams({ id: run.id, locale });
    const name = `${t("refused.file")}-${run.started_at.slice(0, 10)}.csv`;
    const isDone = await download(`/app/customers/changes/refused?${query}`, name);
    setIsBusy(false);
    if (isDone) showToast(t("customers:exported"));
    else showErrorToast(t("customers:exportFailed"));
  };
  return (
    <BlockStack gap="100" inlineAlign="start">
      {run.kind === "tags" && (
        <Text as="span" tone="subdued" variant="bodySm">
          {t("refused.text")}
        </Text>
      )}
      {run.has_refusals && (
        <Button
          variant="plain"
          disabled={isBusy}
          accessibilityLabel={t("refused.getOf", { change })}
          onClick={() => void get()}
        >
          {t("refused.get")}
        </Button>
      )}
      {run.refusals_cut_at !== null && (
        <Text as="span" tone="subdued" variant="bodySm">
          {t("refused.cut", { total: formatCount(locale, run.refusals_cut_at) })}
        </Text>
      )}
    </BlockStack>
  );
}
