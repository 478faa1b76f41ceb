// The last day in numbers and what happened lately. They come after the page: the place of the numbers is kept, and what
// happened lately stands last, so that nothing moves.
import {
  BlockStack,
  Card,
  InlineGrid,
  InlineStack,
  Link,
  SkeletonBodyText,
  Text,
} from "@shopify/polaris";
import { CardHeading } from "../card-heading.tsx";
import { formatCount } from "../figures.ts";
import { CUSTOMER_NAMES } from "../customers/customer-words.ts";
import { Later } from "../later.tsx";
import { Moment } from "../moment.tsx";
import { useLocale, useWords } from "../words.tsx";
import { HOME_WORDS } from "./home-words.ts";

type Day = Record<"synced" | "signUps" | "granted" | "withdrawn" | "delivered" | "failed", number>;
type Happening =
  | {
      kind: "consent";
      at: string;
      userId: number | null;
      name: string | null;
      type: string;
      action: string;
    }
  | { kind: "customer"; at: string; userId: number; name: string | null }
  | { kind: "privacy"; at: string; request: string; state: string };
export type Overview = { state: "known"; day: Day; happenings: Happening[] } | { state: "unknown" };

const NUMBERS = ["synced", "signUps", "granted", "withdrawn", "delivered", "failed"] as const;
type Props = { overview: Promise<Overview> };

export function DayCard({ overview }: Props) {
  const words = useWords(HOME_WORDS);
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={words.day} />
        <Later answer={overview} waiting={<Numbers day={null} />}>
          {(known) =>
            known.state === "known" ? (
              <Numbers day={known.day} />
            ) : (
              <Text as="p">{words.dayAway}</Text>
            )
          }
        </Later>
      </BlockStack>
    </Card>
  );
}

export function LatelyCard({ overview }: Props) {
  const words = useWords(HOME_WORDS);
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={words.lately} />
        <Later answer={overview} waiting={<SkeletonBodyText lines={8} />}>
          {(known) =>
            known.state === "known" ? (
              <Lately happenings={known.happenings} />
            ) : (
              <Text as="p">{words.dayAway}</Text>
            )
          }
        </Later>
      </BlockStack>
    </Card>
  );
}

function Numbers({ day }: { day: Day | null }) {
  const { numbers } = useWords(HOME_WORDS);
  const locale = useLocale();
  return (
    <InlineGrid columns={{ xs: 2, md: 3, lg: 6 }} gap="400">
      {NUMBERS.map((name) => (
        <BlockStack key={name} gap="100">
          <Text as="span" tone="subdued">
            {numbers[name]}
          </Text>
          <Text as="span" variant="headingLg" numeric>
            {day ? formatCount(locale, day[name]) : "–"}
          </Text>
        </BlockStack>
      ))}
    </InlineGrid>
  );
}

function Lately({ happenings }: { happenings: Happening[] }) {
  const words = useWords(HOME_WORDS);
  if (happenings.length === 0)
    return (
      <Text as="p" tone="subdued">
        {words.nothing}
      </Text>
    );
  return (
    <BlockStack gap="300">
      {happenings.map((one, place) => (
        <InlineStack key={`${one.at} ${place}`} align="space-between" gap="200">
          <Text as="span">
            <What happening={one} />
          </Text>
          <Text as="span" tone="subdued">
            <Moment at={one.at} />
          </Text>
        </InlineStack>
      ))}
    </BlockStack>
  );
}

function What({ happening }: { happening: Happening }) {
  const words = useWords(HOME_WORDS);
  const names = useWords(CUSTOMER_NAMES);
  if (happening.kind === "privacy")
    return (
      <Link
        url="/app/privacy"
        monochrome
      >{`${words.requests[happening.request] ?? happening.request}: ${words.requestStates[happening.state] ?? happening.state}`}</Link>
    );
  const who =
    happening.userId === null ? (
      words.visitor
    ) : (
      <Link url={`/app/customers/${happening.userId}`} monochrome>
        {happening.name ?? words.noName}
      </Link>
    );
  if (happening.kind === "customer")
    return (
      <>
        {words.newCustomer}: {who}
      </>
    );
  const consent = names.consent[happening.type] ?? happening.type;
  return (
    <>
      {who}{" "}
      {happening.action === "granted"
        ? words.granted(consent)
        : happening.action === "revoked"
          ? words.withdrawn(consent)
          : words.other(consent, happening.action)}
    </>
  );
}
