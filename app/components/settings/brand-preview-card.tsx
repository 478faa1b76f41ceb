// A customer's page with the brand settings that are being typed.
import { useTranslation } from "react-i18next";
import { BlockStack, Card, Link, Text } from "@shopify/polaris";
import { useState } from "react";
import { useTypedPreview } from "../hooks/use-typed-preview.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { SegmentedChoice } from "../ui/segmented-choice.tsx";
import { PREVIEW_FRAME } from "./preview-frame.ts";

export default function BrandPreviewCard({ fields }: { fields: Record<string, unknown> }) {
  const { t } = useTranslation("settings");
  const [scheme, setScheme] = useState<"light" | "dark">("light");
  const [html, setHtml] = useState("");
  const { error } = useTypedPreview<{ html: string }>({
    path: "/app/settings/brand/preview",
    input: { fields, scheme },
    onAnswer: (answer) => setHtml(answer.html),
  });
  return (
    <Card>
      <BlockStack gap="400">
        <BlockStack gap="100">
          <CardHeading title={t("brandPreview.title")} />
          <Text as="p" tone="subdued">
            {t("brandPreview.text")}{" "}
            <Link url="/app/settings/notifications">{t("brandPreview.mails")}</Link>
          </Text>
        </BlockStack>
        <SegmentedChoice
          label={t("mails.scheme")}
          names={{ light: t("mails.schemes.light"), dark: t("mails.schemes.dark") }}
          value={scheme}
          onChange={(next) => setScheme(next)}
        />
        {error && (
          <Text as="p" tone="critical">
            {t("brandPreview.failed")}
          </Text>
        )}
        {/* Without scripts, forms and navigation: it is only looked at. */}
        <iframe
          title={t("brandPreview.title")}
          sandbox=""
          tabIndex={-1}
          srcDoc={html}
          style={{ ...PREVIEW_FRAME, height: "26rem" }}
        />
      </BlockStack>
    </Card>
  );
}
