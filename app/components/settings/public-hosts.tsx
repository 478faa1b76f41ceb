// The listed hosts that are verified, the DNS record that verifies each of the others, and the
// button that checks them.
import { useTranslation } from "react-i18next";
import { Badge, BlockStack, Button, InlineStack, Text } from "@shopify/polaris";
import type { HostsView } from "../../domain/tenants/public-hosts.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { useLabelled } from "../i18n/use-labelled.ts";

const TONES = { proven: "success", unproven: "attention", taken: "critical" } as const;

/** A store may list fifty hosts. */
const LIST = { maxHeight: "7rem", overflowY: "auto" } as const;

type Props = {
  data: HostsView;
  /** Where the button posts; by default the page's own address. */
  action?: string;
};

export function PublicHosts({ data: { token, hosts }, action }: Props) {
  const { t } = useTranslation("settings");
  const labelled = useLabelled();
  const {
    submit,
    isBusy,
    data: checked,
    error,
  } = useScreenAction<{ proven: number }>("check_hosts", action ? { action } : {});
  const isOpen = hosts.some(({ state }) => state !== "proven");
  if (hosts.length === 0) return null;
  return (
    <BlockStack gap="200">
      <Text as="h3" variant="headingSm">
        {t("hosts.title")}
      </Text>
      {isOpen && (
        <Text as="p" tone="subdued">
          {t("hosts.intro")}
        </Text>
      )}
      {isOpen && (
        <Text as="p" breakWord>
          {labelled(t("hosts.token"))} <code>{token}</code>
        </Text>
      )}
      <div style={LIST} tabIndex={0} role="group" aria-label={t("hosts.title")}>
        <BlockStack gap="200">
          {hosts.map(({ host, state, record }) => (
            <InlineStack key={host} gap="200" blockAlign="center">
              <Text as="span" breakWord fontWeight="medium">
                {host}
              </Text>
              <Badge tone={TONES[state]}>{t(`hosts.states.${state}`)}</Badge>
              {state !== "proven" && (
                <Text as="span" tone="subdued" breakWord>
                  {t("hosts.record", { name: record })}
                </Text>
              )}
            </InlineStack>
          ))}
        </BlockStack>
      </div>
      {isOpen && (
        <InlineStack gap="300" blockAlign="center">
          <Button loading={isBusy} onClick={() => submit()}>
            {t("hosts.check")}
          </Button>
          <div aria-live="polite">
            {checked && (
              <Text as="span" {...(checked.proven > 0 && { tone: "success" as const })}>
                {checked.proven > 0
                  ? t("hosts.found", { count: checked.proven })
                  : t("hosts.foundNone")}
              </Text>
            )}
            {error && (
              <Text as="span" tone="critical">
                {t("hosts.failed")}
              </Text>
            )}
          </div>
        </InlineStack>
      )}
    </BlockStack>
  );
}
