// The setup guide: on the app's home, and as the whole of the onboarding pages. Its buttons post to `action`, whose loader
// answers `{ guide }` for as long as something is under way.
import { useFetcher } from "@remix-run/react";
import {
  Badge,
  BlockStack,
  Box,
  Button,
  Card,
  Divider,
  InlineStack,
  ProgressBar,
  Spinner,
  Text,
} from "@shopify/polaris";
import { useState, type ReactNode } from "react";
import { CardHeading } from "../card-heading.tsx";
import { OnceUsable } from "../once-usable.tsx";
import { useLooking } from "../use-looking.ts";
import { GUIDE_WORDS } from "./setup-guide-words.ts";
import { useWords } from "../words.tsx";

type StepName = "connect" | "embed" | "tags" | "sync" | "systems";
type State = "todo" | "running" | "done" | "failed";
type Step = { name: StepName; state: State; count: number | null; reason: string | null };
export type Guide = {
  shop: string;
  steps: Step[];
  done: number;
  isDone: boolean;
  isRunning: boolean;
  themeUrls: Record<"consent" | "footer" | "account" | "compliance", string>;
};
type Act =
  | { outcome: "done"; step: StepName }
  | {
      outcome: "failed";
      step: StepName;
      problem: "not_seen" | "not_connected" | "refused";
      reason: string | null;
    }
  | { outcome: "locked" };

type Props = {
  guide: Guide;
  /** The page that takes the buttons and tells the guide anew. */
  action: string;
  settingsUrl: string;
  /** Inside the store admin the whole window goes to the store, elsewhere the page stays and looks for the connection. */
  isEmbedded: boolean;
};

/** Places that a theme may show besides the banner. */
const BLOCKS = ["footer", "account", "compliance"] as const;
const TONES = { done: "success", running: "info", failed: "critical", todo: undefined } as const;

export function SetupGuideCard(props: Props) {
  const { action, isEmbedded } = props;
  const words = useWords(GUIDE_WORDS);
  const live = useFetcher<{ guide: Guide }>();
  const act = useFetcher<Act>();
  const guide = live.data?.guide ?? props.guide;
  const isConnected = guide.steps[0]?.state === "done";
  useLooking(guide.isRunning || (!isEmbedded && !isConnected), () => {
    if (live.state === "idle") live.load(action);
  });
  const next = guide.steps.find(({ state }) => state === "failed" || state === "todo")?.name;
  // Whatever was opened by hand gives way when a step is done and another one is next.
  const [opened, setOpened] = useState<{ name: StepName; before: StepName | undefined } | null>(
    null,
  );
  const isOpen = (name: StepName, state: State) =>
    (opened && opened.before === next ? opened.name : next) === name || state === "running";
  return (
    <OnceUsable>
      <Card>
        <BlockStack gap="400">
          <CardHeading title={words.title} />
          <BlockStack gap="200">
            <Text as="p" tone="subdued" id="setup-progress">
              {words.progress(guide.done, guide.steps.length)}
            </Text>
            <ProgressBar
              progress={(guide.done / guide.steps.length) * 100}
              size="small"
              tone="success"
              ariaLabelledBy="setup-progress"
            />
          </BlockStack>
          {guide.isDone && <Text as="p">{words.all}</Text>}
          <BlockStack gap="300">
            {guide.steps.map((step) => (
              <BlockStack key={step.name} gap="300">
                <Divider />
                <StepHeading
                  step={step}
                  isOpen={isOpen(step.name, step.state)}
                  onOpen={() => setOpened({ name: step.name, before: next })}
                />
                {isOpen(step.name, step.state) && (
                  <BlockStack gap="300">
                    <Text as="p">{words.steps[step.name].text}</Text>
                    <div aria-live="polite">
                      <Told step={step} act={act.state === "idle" ? act.data : undefined} />
                    </div>
                    <InlineStack gap="200">
                      <Buttons {...props} step={step} guide={guide} post={act} />
                    </InlineStack>
                  </BlockStack>
                )}
              </BlockStack>
            ))}
          </BlockStack>
        </BlockStack>
      </Card>
    </OnceUsable>
  );
}

function StepHeading({ step, isOpen, onOpen }: { step: Step; isOpen: boolean; onOpen(): void }) {
  const words = useWords(GUIDE_WORDS);
  const tone = TONES[step.state];
  return (
    <InlineStack align="space-between" blockAlign="center" gap="200">
      {isOpen ? (
        <Text as="h3" variant="headingSm">
          {words.steps[step.name].title}
        </Text>
      ) : (
        <Button variant="monochromePlain" textAlign="start" onClick={onOpen}>
          {words.steps[step.name].title}
        </Button>
      )}
      <Badge {...(tone && { tone })}>{words.states[step.state]}</Badge>
    </InlineStack>
  );
}

function Told({ step, act }: { step: Step; act: Act | undefined }): ReactNode {
  const words = useWords(GUIDE_WORDS);
  if (act?.outcome === "locked")
    return (
      <Text as="p" tone="critical">
        {words.problems.locked}
      </Text>
    );
  if (step.name === "sync" && step.state === "running")
    return (
      <InlineStack gap="200" blockAlign="center">
        <Spinner size="small" accessibilityLabel={words.states.running} />
        <Text as="span">{words.syncing(step.count ?? 0)}</Text>
      </InlineStack>
    );
  if (step.state === "failed" && step.name === "sync")
    return <Problem text={words.syncFailed} reason={step.reason} />;
  if (act?.outcome === "failed" && act.step === step.name)
    return <Problem text={words.problems[act.problem]} reason={act.reason} />;
  return null;
}

function Problem({ text, reason }: { text: string; reason: string | null }) {
  const { said } = useWords(GUIDE_WORDS);
  return (
    <Box>
      <Text as="p" tone="critical">
        {text}
      </Text>
      {reason && (
        <Text as="p" tone="subdued" breakWord>
          {said} {reason}
        </Text>
      )}
    </Box>
  );
}

function Buttons({
  step,
  guide,
  action,
  settingsUrl,
  isEmbedded,
  post,
}: Props & { step: Step; post: ReturnType<typeof useFetcher<Act>> }) {
  const words = useWords(GUIDE_WORDS);
  const { button } = words.steps[step.name];
  const { Form } = post;
  const busy = post.state === "idle" ? null : post.formData?.get("intent");
  const submit = (intent: string, text: string, isPrimary = true) => (
    <Form key={intent} method="post" action={action}>
      <input type="hidden" name="intent" value={intent} />
      <Button submit variant={isPrimary ? "primary" : "secondary"} loading={busy === intent}>
        {text}
      </Button>
    </Form>
  );
  if (step.state === "running") return null;
  if (step.name === "connect")
    return step.state === "done" ? null : (
      <Button
        variant="primary"
        url={`/auth/install?shop=${guide.shop}`}
        target={isEmbedded ? "_top" : "_blank"}
      >
        {step.state === "failed" ? words.reconnect : button}
      </Button>
    );
  if (step.name === "tags")
    return submit("init_tags", step.state === "done" ? words.again : button, step.state !== "done");
  if (step.name === "sync")
    return submit(
      "start_sync",
      step.state === "todo" ? button : words.again,
      step.state !== "done",
    );
  if (step.name === "systems")
    return (
      <Button variant={step.state === "done" ? "secondary" : "primary"} url={settingsUrl}>
        {button}
      </Button>
    );
  return (
    <>
      <Button
        variant={step.state === "done" ? "secondary" : "primary"}
        url={guide.themeUrls.consent}
        target="_blank"
      >
        {button}
      </Button>
      {step.state === "done" &&
        BLOCKS.map((block) => (
          <Button key={block} url={guide.themeUrls[block]} target="_blank">
            {words.blocks[block]}
          </Button>
        ))}
      {step.state !== "done" && submit("check_embed", words.checkEmbed, false)}
      {step.state !== "done" && submit("confirm_embed", words.confirmEmbed, false)}
    </>
  );
}
