// Which of the listed hosts count, the DNS record that proves each of the others, and the button that looks for them.
import { useFetcher } from "@remix-run/react";
import { Badge, BlockStack, Button, InlineStack, Text } from "@shopify/polaris";
import { useWords } from "../words.tsx";
import { PUBLIC_HOSTS_WORDS } from "./public-hosts-words.ts";

export type PublicHostsData = {
  token: string;
  hosts: { host: string; state: "proven" | "unproven" | "taken"; record: string }[];
};
type Checked =
  { outcome: "checked"; proven: number } | { outcome: "locked" } | { outcome: "unreachable" };

const TONES = { proven: "success", unproven: "attention", taken: "critical" } as const;

type Props = { data: PublicHostsData; /** Where the button posts. */ action: string };

export function PublicHosts({ data: { token, hosts }, action }: Props) {
  const words = useWords(PUBLIC_HOSTS_WORDS);
  const fetcher = useFetcher<Checked>();
  const isBusy = fetcher.state !== "idle";
  const checked = isBusy ? undefined : fetcher.data;
  const isOpen = hosts.some(({ state }) => state !== "proven");
  if (hosts.length === 0) return null;
  return (
    <BlockStack gap="200">
      <Text as="h3" variant="headingSm">
        {words.title}
      </Text>
      {isOpen && (
        <Text as="p" tone="subdued">
          {words.intro}
        </Text>
      )}
      {isOpen && (
        <Text as="p" breakWord>
          {words.token}: <code>{token}</code>
        </Text>
      )}
      {hosts.map(({ host, state, record }) => (
        <InlineStack key={host} gap="200" blockAlign="center">
          <Text as="span" breakWord fontWeight="medium">
            {host}
          </Text>
          <Badge tone={TONES[state]}>{words.states[state]}</Badge>
          {state !== "proven" && (
            <Text as="span" tone="subdued" breakWord>
              {words.record(record)}
            </Text>
          )}
        </InlineStack>
      ))}
      {isOpen && (
        <InlineStack gap="300" blockAlign="center">
          <fetcher.Form method="post" action={action}>
            <input type="hidden" name="intent" value="check_hosts" />
            <Button submit loading={isBusy}>
              {words.check}
            </Button>
          </fetcher.Form>
          <div aria-live="polite">
            {checked?.outcome === "checked" && (
              <Text as="span" {...(checked.proven > 0 && { tone: "success" as const })}>
                {checked.proven > 0 ? words.found(checked.proven) : words.foundNone}
              </Text>
            )}
            {checked !== undefined && checked.outcome !== "checked" && (
              <Text as="span" tone="critical">
                {words.failed}
              </Text>
            )}
          </div>
        </InlineStack>
      )}
    </BlockStack>
  );
}
