// Writing all customers to the CMS anew: a run behind the page.
import { BlockStack, Button, InlineStack, Spinner, Text } from "@shopify/polaris";
import { formatCount } from "../figures.ts";
import { Moment } from "../moment.tsx";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useRun } from "../use-run.ts";
import { useLocale, useWords, type Words } from "../words.tsx";
import { CHANNEL_WORDS, failureText, type ShownFailure } from "./channel-words.ts";

type Counts = {
  processed: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
};
type Outcome = {
  outcome: "done" | "unfinished" | "failed" | "busy";
  counts: Counts;
  failure: ShownFailure | null;
};
type Run = {
  state: "running" | "done" | "failed" | "interrupted";
  started_at: string;
  finished_at: string | null;
  progress: Counts | null;
  result: Outcome | null;
};
type SyncText = {
  button: string;
  running: (seen: string) => string;
  done: (seen: string, written: string) => string;
  refused: (failed: string) => string;
  unfinished: string;
  busy: string;
  failed: string;
};

const WORDS: Words<SyncText> = {
  en: {
    button: "Bring all customers in step",
    running: (seen) => `Under way: ${seen} customers looked at`,
    done: (seen, written) => `${seen} customers looked at, ${written} written.`,
    refused: (failed) => `${failed} were not accepted.`,
    unfinished: "There are more; the next run goes on.",
    busy: "The regular sync is at it already.",
    failed: "It was broken off. The next run goes on.",
  },
  es: {
    button: "Poner al día a todos los clientes",
    running: (seen) => `En curso: ${seen} clientes revisados`,
    done: (seen, written) => `${seen} clientes revisados, ${written} escritos.`,
    refused: (failed) => `${failed} no se aceptaron.`,
    unfinished: "Quedan más; continuará en la próxima pasada.",
    busy: "La sincronización habitual ya está en curso.",
    failed: "Se interrumpió. Continuará en la próxima pasada.",
  },
  fr: {
    button: "Mettre tous les clients à jour",
    running: (seen) => `En cours : ${seen} clients examinés`,
    done: (seen, written) => `${seen} clients examinés, ${written} écrits.`,
    refused: (failed) => `${failed} n'ont pas été acceptés.`,
    unfinished: "Il en reste ; le prochain passage continue.",
    busy: "La synchronisation habituelle est déjà en cours.",
    failed: "Elle a été interrompue. Le prochain passage continue.",
  },
};

export function CmsSync({ known }: { known: Run | null }) {
  const words = useWords(WORDS);
  const locale = useLocale();
  const { run, isBusy, refused } = useDeed({ action: "/app/events?index" });
  const problem = useRefusal(refused);
  const latest = useRun(known, "/app/events/cms-sync");
  const isRunning = latest?.state === "running";
  return (
    <BlockStack gap="200">
      <InlineStack>
        <Button size="slim" loading={isBusy} disabled={isRunning} onClick={() => run("sync_cms")}>
          {words.button}
        </Button>
      </InlineStack>
      <div aria-live="polite">
        {problem && (
          <Text as="p" tone="critical">
            {problem}
          </Text>
        )}
        {isRunning && (
          <InlineStack gap="200" blockAlign="center">
            <Spinner size="small" accessibilityLabel={words.button} />
            <Text as="span">
              {words.running(formatCount(locale, latest.progress?.processed ?? 0))}
            </Text>
          </InlineStack>
        )}
        {latest && !isRunning && <Told run={latest} />}
      </div>
    </BlockStack>
  );
}

function Told({ run }: { run: Run }) {
  const words = useWords(WORDS);
  const channels = useWords(CHANNEL_WORDS);
  const locale = useLocale();
  const { result } = run;
  if (!result)
    return (
      <Text as="p" tone="critical">
        {words.failed}
      </Text>
    );
  if (result.outcome === "busy") return <Text as="p">{words.busy}</Text>;
  const { processed, created, updated, failed } = result.counts;
  const said = [
    words.done(formatCount(locale, processed), formatCount(locale, created + updated)),
    failed > 0 && words.refused(formatCount(locale, failed)),
    result.outcome === "unfinished" && words.unfinished,
    result.failure && failureText(channels, result.failure),
  ];
  return (
    <Text
      as="p"
      variant="bodySm"
      {...(result.outcome === "failed" && { tone: "critical" as const })}
    >
      {said.filter(Boolean).join(" ")} <Moment at={run.finished_at ?? run.started_at} />
    </Text>
  );
}
