import { useTranslation } from "react-i18next";
import { Badge, Banner, BlockStack, Button, Card, InlineStack, Link, Text } from "@shopify/polaris";
import type { ReactNode } from "react";
import { labelOf } from "../i18n/label-of.ts";
import { useChannelName } from "../i18n/channel-names.ts";
import { useFailureText } from "./failure-text.ts";
import type { Failure } from "../../domain/bus/log/failure-kind.ts";
import type { ChannelCard as ChannelCardData } from "../../domain/channels/channel-cards.ts";
import { formatCount } from "../i18n/format-number.ts";
import { DateTime } from "../ui/date-time.tsx";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { useLocale } from "../i18n/locale.ts";

type Probe = { ok: boolean; latency_ms: number; failure: Failure | null };

const TONES = { on: "success", paused: "warning", off: undefined } as const;

export function ChannelCard({
  channel,
  children,
}: {
  channel: ChannelCardData;
  children?: ReactNode;
}) {
  const { t } = useTranslation("events");
  const failureText = useFailureText();
  const channelName = useChannelName();

  const label = channelName(channel.name);
  const { name, state, last_failure: last } = channel;
  return (
    <Card>
      <BlockStack gap="300">
        <InlineStack align="space-between" blockAlign="center" gap="200">
          <Text as="h2" variant="headingSm">
            {label}
          </Text>
          <Badge {...(TONES[state] && { tone: TONES[state] })}>{t(`states.${state}`)}</Badge>
        </InlineStack>
        {state === "off" ? (
          <Text as="p">
            {t("missing")}:{" "}
            {channel.missing
              .map((missing) => labelOf(t("channel.missing", { returnObjects: true }), missing))
              .join(", ")}
            .{" "}
            <Link
              url={
                channel.missing.includes("left_out")
                  ? "/app/events/destinations"
                  : channel.missing.includes("store_connection")
                    ? "/app"
                    : "/app/settings"
              }
            >
              {t("toSettings")}
            </Link>
          </Text>
        ) : (
          <Numbers channel={channel} />
        )}
        {channel.paused_until && (
          <Text as="p" tone="caution">
            {t("pausedUntil")} <DateTime at={channel.paused_until} />
          </Text>
        )}
        {channel.dead > 0 && <DeadLink channel={name} count={channel.dead} />}
        {last ? (
          <Text as="p" variant="bodySm" tone="subdued">
            {t("lastProblem")}: {failureText(last)} <DateTime at={last.at} />
          </Text>
        ) : (
          state !== "off" && (
            <Text as="p" variant="bodySm" tone="subdued">
              {t("noProblem")}
            </Text>
          )
        )}
        {channel.can_be_tested && <ConnectionTest name={name} label={label} />}
        {children}
      </BlockStack>
    </Card>
  );
}

function Numbers({ channel }: { channel: ChannelCardData }) {
  const { t } = useTranslation("events");
  const locale = useLocale();
  const facts = [
    [t("delivered"), channel.delivered],
    [t("failed"), channel.failed],
    [t("waiting"), channel.waiting],
  ] as const;
  return (
    <dl style={{ display: "flex", gap: "1.25rem", margin: 0 }} aria-label={t("last24h")}>
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>
            <Text as="span" variant="bodySm" tone="subdued">
              {term}
            </Text>
          </dt>
          <dd style={{ margin: 0 }}>
            <Text as="span" variant="headingMd">
              {formatCount(locale, value)}
            </Text>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function DeadLink({ channel, count }: { channel: string; count: number }) {
  const { t } = useTranslation("events");
  return (
    <Link url={`/app/events/dead-letters?channel=${encodeURIComponent(channel)}`}>
      {t("deadCount", { total: formatCount(useLocale(), count) })}
    </Link>
  );
}

function ConnectionTest({ name, label }: { name: string; label: string }) {
  const { t } = useTranslation("events");
  const failureText = useFailureText();

  const locale = useLocale();
  const { submit, isBusy, data: probe, error } = useScreenAction<Probe>("test");
  return (
    <BlockStack gap="200">
      <InlineStack>
        <Button
          size="slim"
          loading={isBusy}
          accessibilityLabel={t("testOf", { channel: label })}
          onClick={() => submit({ channel: name })}
        >
          {t("test")}
        </Button>
      </InlineStack>
      <div aria-live="polite">
        {error && (
          <Banner tone="critical">
            <p>{error.message}</p>
          </Banner>
        )}
        {probe &&
          (probe.ok ? (
            <Text as="p" tone="success">
              {t("works", { ms: formatCount(locale, probe.latency_ms) })}
            </Text>
          ) : (
            <Text as="p" tone="critical">
              {probe.failure ? failureText(probe.failure) : t("channel.failures.other")}
            </Text>
          ))}
      </div>
    </BlockStack>
  );
}
