// The buttons of a step of the setup guide.
import { useTranslation } from "react-i18next";
import { Button } from "@shopify/polaris";
import type { ReactNode } from "react";
import type {
  GuideStep,
  GuideStepName,
  SetupGuide,
} from "../../domain/merchant/setup-guide/read-guide.ts";
import type { GuideIntent } from "../../domain/merchant/setup-guide/run-step.ts";
import type { GuideActions } from "./guide-actions.ts";

/** Places that a theme may show besides the banner. */
const BLOCKS = ["footer", "account", "compliance", "cookies"] as const;

type Props = {
  step: GuideStep;
  guide: SetupGuide;
  settingsUrl: string;
  isEmbedded: boolean;
  actions: GuideActions;
  checkEmbed(): Promise<void>;
  /** The merchant opens the store to answer the banner there. */
  onTry(): void;
};

const BUTTONS = {
  connect: ConnectButton,
  scripts: ScriptsButtons,
  tags: TagsButton,
  sync: SyncButton,
  systems: SystemsButton,
  decision: DecisionButton,
  embed: EmbedButtons,
} satisfies Record<GuideStepName, (props: Props) => ReactNode>;

export function StepButtons(props: Props) {
  const ButtonsOfStep = BUTTONS[props.step.name];
  return props.step.state === "running" ? null : <ButtonsOfStep {...props} />;
}

/** The step's own button stands out until it is done. */
const variantOf = ({ state }: GuideStep) => (state === "done" ? "secondary" : "primary");

function ConnectButton({ step, guide, isEmbedded }: Props) {
  const { t } = useTranslation("setup-guide");
  if (step.state === "done") return null;
  return (
    <Button
      variant="primary"
      url={`/auth/install?shop=${guide.shop}`}
      target={isEmbedded ? "_top" : "_blank"}
    >
      {step.state === "failed" ? t("reconnect") : t("steps.connect.button")}
    </Button>
  );
}

function ScriptsButtons({ step, actions, isEmbedded }: Props) {
  const { t } = useTranslation("setup-guide");
  const wasChecked = step.state !== "todo";
  return (
    <>
      <SubmitButton
        intent="check_scripts"
        text={wasChecked ? t("checkScriptsAgain") : t("steps.scripts.button")}
        variant={variantOf(step)}
        actions={actions}
      />
      {wasChecked && isEmbedded && (
        <Button url="/app/consent/storefront">{t("showScripts")}</Button>
      )}
    </>
  );
}

function TagsButton({ step, actions }: Props) {
  const { t } = useTranslation("setup-guide");
  return (
    <SubmitButton
      intent="init_tags"
      text={step.state === "done" ? t("again") : t("steps.tags.button")}
      variant={variantOf(step)}
      actions={actions}
    />
  );
}

function SyncButton({ step, actions }: Props) {
  const { t } = useTranslation("setup-guide");
  return (
    <SubmitButton
      intent="start_sync"
      text={step.state === "todo" ? t("steps.sync.button") : t("again")}
      variant={variantOf(step)}
      actions={actions}
    />
  );
}

function SystemsButton({ step, settingsUrl }: Props) {
  const { t } = useTranslation("setup-guide");
  return (
    <Button variant={variantOf(step)} url={settingsUrl}>
      {t("steps.systems.button")}
    </Button>
  );
}

function DecisionButton({ step, guide, onTry }: Props) {
  const { t } = useTranslation("setup-guide");
  return (
    <Button variant={variantOf(step)} url={guide.storeUrl} target="_blank" onClick={onTry}>
      {t("steps.decision.button")}
    </Button>
  );
}

function EmbedButtons(props: Props) {
  const { step, guide } = props;
  const { t } = useTranslation("setup-guide");
  return (
    <>
      <Button variant={variantOf(step)} url={guide.themeUrls.consent} target="_blank">
        {t("steps.embed.button")}
      </Button>
      {step.state === "done" ? (
        BLOCKS.map((block) => (
          <Button key={block} url={guide.themeUrls[block]} target="_blank">
            {t(`blocks.${block}`)}
          </Button>
        ))
      ) : (
        <EmbedChecks {...props} />
      )}
    </>
  );
}

/** Inside the admin its library says whether the embed is on; elsewhere the service reads the theme. */
function EmbedChecks({ isEmbedded, actions, checkEmbed }: Props) {
  const { t } = useTranslation("setup-guide");
  if (isEmbedded)
    return (
      <Button loading={actions.report_embed.isBusy} onClick={() => void checkEmbed()}>
        {t("checkEmbed")}
      </Button>
    );
  return (
    <>
      <SubmitButton
        intent="check_embed"
        text={t("checkEmbed")}
        variant="secondary"
        actions={actions}
      />
      <SubmitButton
        intent="confirm_embed"
        text={t("confirmEmbed")}
        variant="secondary"
        actions={actions}
      />
    </>
  );
}

function SubmitButton({
  intent,
  text,
  variant,
  actions,
}: {
  intent: GuideIntent;
  text: string;
  variant: "primary" | "secondary";
  actions: GuideActions;
}) {
  const { isBusy, submit } = actions[intent];
  return (
    <Button variant={variant} loading={isBusy} onClick={() => submit()}>
      {text}
    </Button>
  );
}
