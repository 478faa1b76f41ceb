// What a request is about and how it stands, for the list and for its page.
import { useTranslation } from "react-i18next";
import { Badge, BlockStack, InlineStack, Text } from "@shopify/polaris";
import { useChannelName } from "../i18n/channel-names.ts";
import type { BoardRequest } from "../../domain/compliance/board/request-list.ts";
import { useFailureText } from "../events/failure-text.ts";
import { DateTime } from "../ui/date-time.tsx";
import { WrappingText } from "../ui/layout.tsx";

const TONES = {
  received: "info",
  running: "info",
  done: "success",
  retained: "success",
  failed: "critical",
} as const;

type Props = { request: BoardRequest };

export const isOpen = ({ state }: BoardRequest): boolean =>
  state === "received" || state === "running";

/** The customer's name, or what is left when it is not known any more. */
export function useOwnerName(): (request: BoardRequest) => string {
  const { t } = useTranslation("privacy");
  return ({ owner }) => (owner.kind === "customer" ? owner.name : t(`owner.${owner.kind}`));
}

export function StateBadge({ request }: Props) {
  const { t } = useTranslation("privacy");
  return <Badge tone={TONES[request.state]}>{t(`states.${request.state}`)}</Badge>;
}

export function Due({ request }: Props) {
  const { t } = useTranslation("privacy");
  const { due_in_days: days, is_overdue: isOverdue } = request;
  if (days === null) return <DateTime at={request.completed_at ?? request.due_by} />;
  return (
    <BlockStack inlineAlign="start">
      {isOverdue ? (
        <Badge tone="critical">
          {days === 0 ? t("due.overdueToday") : t("due.overdue", { count: -days })}
        </Badge>
      ) : (
        <Text as="span">{days === 0 ? t("due.today") : t("due.inDays", { count: days })}</Text>
      )}
      <Text as="span" variant="bodySm" tone="subdued">
        <DateTime at={request.due_by} />
      </Text>
    </BlockStack>
  );
}

/** Counts the steps that are done; shows nothing when all are. */
export function Progress({ request }: Props) {
  const { t } = useTranslation("privacy");
  if (!isOpen(request) && request.state !== "failed") return null;
  const done = request.steps.filter(({ state }) => state === "done" || state === "left").length;
  return (
    <Text as="p" variant="bodySm">
      {t("progress", { count: done, of: request.steps.length })}
    </Text>
  );
}

/** Why a request is where it is. */
export function Explanation({ request }: Props) {
  const { t } = useTranslation("privacy");
  const channelName = useChannelName();
  const failureText = useFailureText();
  const { problem } = request;
  const text =
    problem &&
    (problem.kind === "system"
      ? [
          t("system", { name: channelName(problem.system ?? "") }),
          ...(problem.failure ? [failureText(problem.failure)] : []),
        ].join(" ")
      : t(`problems.${problem.kind}`));
  const isKept = request.state === "retained";
  if (!text && !request.next_attempt_at && !isKept) return null;
  return (
    <WrappingText>
      {text && (
        <Text as="p" variant="bodySm">
          {text}
        </Text>
      )}
      {request.next_attempt_at && (
        <InlineStack gap="100">
          <Text as="span" variant="bodySm" tone="subdued">
            {t("again")} <DateTime at={request.next_attempt_at} />
          </Text>
        </InlineStack>
      )}
      {isKept && (
        <Text as="p" variant="bodySm" tone="subdued">
          {t("kept")}
        </Text>
      )}
    </WrappingText>
  );
}
