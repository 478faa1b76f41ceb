// The editor: settings beside the preview, and the history below.
import { useTranslation } from "react-i18next";
import {
  Banner,
  BlockStack,
  Button,
  Card,
  InlineGrid,
  InlineStack,
  Link,
  Text,
} from "@shopify/polaris";
import { useState } from "react";
import type { BannerWork } from "../../../domain/tenants/banner/banner-drafts.ts";
import type { BannerPlace } from "../../../domain/merchant/places.ts";
import type { BannerEditorFacts } from "../../../domain/tenants/banner/banner-editor.ts";
import { HydrationGate } from "../../frame/hydration-gate.tsx";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { useShowRefusal } from "../../hooks/use-show-refusal.ts";
import { EmbeddedSaveBar } from "../../settings/embedded-save-bar.tsx";
import { CardHeading } from "../../ui/card-heading.tsx";
import { showToast } from "../../ui/toast.ts";
import { ColorCard } from "./color-card.tsx";
import { HistoryCard } from "./history-card.tsx";
import { LayoutCard } from "./layout-card.tsx";
import { PreviewCard } from "./preview-card.tsx";
import { TextCard } from "./text-card.tsx";
import { useBannerForm, type BannerForm } from "./use-banner-form.ts";
import { useBannerPreview, type StorePage } from "./use-banner-preview.ts";

type Props = {
  shop: string;
  work: BannerWork;
  facts: BannerEditorFacts;
  place: BannerPlace;
  canUploadLogo: boolean;
  storePage: Promise<StorePage>;
};

export function BannerEditor({ shop, work, facts, place, canUploadLogo, storePage }: Props) {
  const { t } = useTranslation("banner");
  const form = useBannerForm(work, () => showToast(t("saved")));
  const [language, setLanguage] = useState<string>(facts.language);
  const preview = useBannerPreview(form.fields, language, work.published, storePage);
  const problems = { ...preview.shown?.problems, ...form.error?.fields };
  return (
    <HydrationGate>
      <EmbeddedSaveBar
        isOpen={form.isDirty}
        isBusy={form.isBusy}
        onSave={form.save}
        onDiscard={form.discard}
      />
      <BlockStack gap="400">
        <SaveProblem form={form} facts={facts} isMarked={preview.isCurrent} />
        <PublishCard work={work} place={place} isDirty={form.isDirty} />
        <InlineGrid columns={{ xs: 1, lg: ["oneThird", "twoThirds"] }} gap="400" alignItems="start">
          <div className="banner-preview-place">
            <PreviewCard preview={preview} published={work.published} />
          </div>
          <BlockStack gap="400">
            <LayoutCard
              form={form}
              facts={facts}
              problems={problems}
              shop={shop}
              canUploadLogo={canUploadLogo}
            />
            <ColorCard form={form} contrasts={preview.shown?.contrasts ?? null} />
            <TextCard
              form={form}
              facts={facts}
              problems={problems}
              language={language}
              onLanguage={setLanguage}
            />
          </BlockStack>
        </InlineGrid>
        <HistoryCard work={work} />
      </BlockStack>
    </HydrationGate>
  );
}

type SaveProblemProps = {
  form: BannerForm;
  facts: BannerEditorFacts;
  /** The preview has marked the colors whose contrast is too low. */
  isMarked: boolean;
};

function SaveProblem({ form, facts, isMarked }: SaveProblemProps) {
  const place = useShowRefusal(form.error, { isReady: isMarked });
  return (
    form.error && (
      <div ref={place}>
        <Refusal error={form.error} facts={facts} />
      </div>
    )
  );
}

type RefusalProps = { error: NonNullable<BannerForm["error"]>; facts: BannerEditorFacts };

function Refusal({ error: { code, fields = {}, message }, facts }: RefusalProps) {
  const { t } = useTranslation("banner");
  const names = t("fields", { returnObjects: true }) as Record<string, string>;
  const nameOf = (field: string) => {
    const [group = "", language = ""] = field.split(".");
    const spoken = facts.languages.find((one) => one.code === language)?.name;
    return spoken ? `${names.texts} (${spoken})` : (names[group] ?? field);
  };
  const list = [...new Set(Object.keys(fields).map(nameOf))].join(", ");
  if (code === "conflict")
    return (
      <Banner tone="warning" title={t("conflict.title")}>
        <p>{t("conflict.text", { fields: list })}</p>
      </Banner>
    );
  return (
    <Banner tone="critical" title={t("notSaved")}>
      <p>{code === "invalid_request" && list ? t("invalid", { fields: list }) : message}</p>
    </Banner>
  );
}

/** What shoppers see now, and the step to the draft. */
function PublishCard({
  work,
  place,
  isDirty,
}: {
  work: BannerWork;
  place: BannerPlace;
  isDirty: boolean;
}) {
  const { t } = useTranslation("banner");
  const publish = useScreenAction<{ version: number }>("publish", {
    onSuccess: ({ version }) => showToast(t("published", { version })),
  });
  const discard = useScreenAction("discard", { onSuccess: () => showToast(t("discarded")) });
  const { published, isChanged, draft } = work;
  const error = publish.error ?? discard.error;
  const canPublish = isChanged || published === 0;
  const isLate = place.isOn && place.isLate;
  const draftText = isChanged ? t("state.changed") : t("state.same");
  const hasDraft = isDirty || isChanged;
  const status = {
    tone: hasDraft ? "info" : "success",
    text: isDirty ? t("state.unsaved") : draftText,
  } as const;
  return (
    <Card>
      <BlockStack gap="300">
        <CardHeading
          title={useSeenText(place, published)}
          {...((hasDraft || published > 0) && { status })}
        />
        {!place.isOn && (
          <Text as="p">
            {t("state.offText")}{" "}
            <Link url={place.openUrl} target="_blank">
              {t("state.openTheme")}
            </Link>
          </Text>
        )}
        {isLate && (
          <Text as="p">
            {t("state.lateText")}{" "}
            <Link url="/app/settings/connection">{t("state.checkConnection")}</Link>
          </Text>
        )}
        <Text as="p" tone="subdued">
          {isDirty ? t("state.saveFirst") : t("state.text")}
        </Text>
        {error && (
          <Banner tone="critical">
            <p>{error.code === "conflict" ? t("conflict.publish") : error.message}</p>
          </Banner>
        )}
        <InlineStack gap="200">
          <Button
            variant="primary"
            disabled={isDirty || !canPublish}
            loading={publish.isBusy}
            onClick={() => publish.submit({ revision: draft.revision })}
          >
            {t("publish")}
          </Button>
          <Button
            disabled={isDirty || !isChanged}
            loading={discard.isBusy}
            onClick={() => discard.submit({ revision: draft.revision })}
          >
            {t("discard")}
          </Button>
        </InlineStack>
      </BlockStack>
    </Card>
  );
}

/** What shoppers see. `version`: the published one; 0 for none. */
function useSeenText({ isOn, isLate }: BannerPlace, version: number): string {
  const { t } = useTranslation("banner");
  if (!isOn) return t("state.off");
  if (version === 0) return t("state.default");
  return t(isLate ? "state.late" : "state.version", { version });
}
