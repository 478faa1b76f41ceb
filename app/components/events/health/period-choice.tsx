// The period of the numbers, in the address: a link to this page shows the same one.
import { useTranslation } from "react-i18next";
import { Link } from "@remix-run/react";
import { InlineStack } from "@shopify/polaris";
import type { Period } from "../../../domain/bus/log/throughput.ts";

const SHOWN: readonly Period[] = ["1h", "24h", "7d", "30d"];

export function PeriodChoice({ period }: { period: Period }) {
  const { t } = useTranslation("events");
  return (
    <nav aria-label={t("period")}>
      <InlineStack gap="100">
        {SHOWN.map((name) => (
          <Link
            key={name}
            to={`?period=${name}`}
            preventScrollReset
            {...(name === period && { "aria-current": "true" as const })}
            style={{
              padding: "4px 12px",
              borderRadius: 8,
              textDecoration: "none",
              color: "var(--p-color-text)",
              border: "1px solid var(--p-color-border)",
              fontWeight: name === period ? 600 : 450,
              background:
                name === period ? "var(--p-color-bg-fill-tertiary)" : "var(--p-color-bg-surface)",
            }}
          >
            {t(`periods.${name}`)}
          </Link>
        ))}
      </InlineStack>
    </nav>
  );
}
