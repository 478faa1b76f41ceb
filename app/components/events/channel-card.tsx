import { Badge, Banner, BlockStack, Button, Card, InlineStack, Link, Text } from "@shopify/polaris";
import type { ReactNode } from "react";
import {
  CHANNEL_WORDS,
  channelLabel,
  failureText,
  missingLabel,
  type ShownFailure,
} from "./channel-words.ts";
import { EVENT_WORDS } from "./event-words.ts";
import { formatCount } from "../figures.ts";
import { Moment } from "../moment.tsx";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useLocale, useWords } from "../words.tsx";

export type ChannelCardData = {
  name: string;
  state: "on" | "paused" | "off";
  paused_until: string | null;
  delivered: number;
  failed: number;
  waiting: number;
  dead: number;
  missing: readonly string[];
  can_be_tested: boolean;
  last_failure: (ShownFailure & { at: string }) | null;
};
type Probe = { ok: boolean; latency_ms: number; failure: ShownFailure | null };

const TONES = { on: "success", paused: "warning", off: undefined } as const;

export function ChannelCard({
  channel,
  children,
}: {
  channel: ChannelCardData;
  children?: ReactNode;
}) {
  const words = useWords(EVENT_WORDS);
  const channels = useWords(CHANNEL_WORDS);
  const label = channelLabel(channels, channel.name);
  const { name, state, last_failure: last } = channel;
  return (
    <Card>
      <BlockStack gap="300">
        <InlineStack align="space-between" blockAlign="center" gap="200">
          <Text as="h2" variant="headingSm">
            {label}
          </Text>
          <Badge {...(TONES[state] && { tone: TONES[state] })}>{words.states[state]}</Badge>
        </InlineStack>
        {state === "off" ? (
          <Text as="p">
            {words.missing}:{" "}
            {channel.missing.map((missing) => missingLabel(channels, missing)).join(", ")}.{" "}
            <Link
              url={
                channel.missing.includes("left_out")
                  ? "/app/events/destinations"
                  : channel.missing.includes("store_connection")
                    ? "/app"
                    : "/app/settings"
              }
            >
              {words.toSettings}
            </Link>
          </Text>
        ) : (
          <Numbers channel={channel} />
        )}
        {channel.paused_until && (
          <Text as="p" tone="caution">
            {words.pausedUntil} <Moment at={channel.paused_until} />
          </Text>
        )}
        {channel.dead > 0 && <DeadLink channel={name} count={channel.dead} />}
        {last ? (
          <Text as="p" variant="bodySm" tone="subdued">
            {words.lastProblem}: {failureText(channels, last)} <Moment at={last.at} />
          </Text>
        ) : (
          state !== "off" && (
            <Text as="p" variant="bodySm" tone="subdued">
              {words.noProblem}
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
  const words = useWords(EVENT_WORDS);
  const locale = useLocale();
  const facts = [
    [words.delivered, channel.delivered],
    [words.failed, channel.failed],
    [words.waiting, channel.waiting],
  ] as const;
  return (
    <dl style={{ display: "flex", gap: "1.25rem", margin: 0 }} aria-label={words.last24h}>
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
  const words = useWords(EVENT_WORDS);
  return (
    <Link url={`/app/events/dead-letters?channel=${encodeURIComponent(channel)}`}>
      {words.deadCount(formatCount(useLocale(), count))}
    </Link>
  );
}

function ConnectionTest({ name, label }: { name: string; label: string }) {
  const words = useWords(EVENT_WORDS);
  const channels = useWords(CHANNEL_WORDS);
  const locale = useLocale();
  const { run, isBusy, done, refused } = useDeed<Probe>();
  const problem = useRefusal(refused);
  return (
    <BlockStack gap="200">
      <InlineStack>
        <Button
          size="slim"
          loading={isBusy}
          accessibilityLabel={words.testOf(label)}
          onClick={() => run("test", { channel: name })}
        >
          {words.test}
        </Button>
      </InlineStack>
      <div aria-live="polite">
        {problem && (
          <Banner tone="critical">
            <p>{problem}</p>
          </Banner>
        )}
        {done &&
          (done.ok ? (
            <Text as="p" tone="success">
              {words.works(formatCount(locale, done.latency_ms))}
            </Text>
          ) : (
            <Text as="p" tone="critical">
              {done.failure ? failureText(channels, done.failure) : channels.failures.other}
            </Text>
          ))}
      </div>
    </BlockStack>
  );
}
