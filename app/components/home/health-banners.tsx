// What needs a look, worst first; nothing when all is well.
import { Banner } from "@shopify/polaris";
import { formatCount } from "../figures.ts";
import { formatDay } from "../moment.tsx";
import { useLocale, useWords } from "../words.tsx";
import { HOME_WORDS } from "./home-words.ts";

type Props = {
  health: { syncError: string | null; deadLetters: number; keptDataAt?: string };
  paused: string[];
};

export function HealthBanners({ health, paused }: Props) {
  const words = useWords(HOME_WORDS);
  const locale = useLocale();
  return (
    <>
      {health.keptDataAt && (
        <Banner tone="warning" title={words.keptData}>
          <p>{words.keptDataText(formatDay(locale, health.keptDataAt))}</p>
        </Banner>
      )}
      {health.syncError !== null && (
        <Banner tone="warning" title={words.syncFailed}>
          <p>{words.syncFailedText}</p>
        </Banner>
      )}
      {health.deadLetters > 0 && (
        <Banner
          tone="warning"
          title={words.deadLetters(formatCount(locale, health.deadLetters))}
          action={{ content: words.toEvents, url: "/app/events/dead-letters" }}
        >
          <p>{words.deadLettersText}</p>
        </Banner>
      )}
      {paused.length > 0 && (
        <Banner
          tone="info"
          title={words.paused(paused.join(", "))}
          action={{ content: words.toEvents, url: "/app/events" }}
        >
          <p>{words.pausedText}</p>
        </Banner>
      )}
    </>
  );
}
