// The draft beside the published banner, as a phone or a desktop shows them. The frames run no script and reach
// nothing of the admin.
import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Card, InlineGrid, InlineStack, Text } from "@shopify/polaris";
import { useEffect, useRef, useState } from "react";
import { CardHeading } from "../../ui/card-heading.tsx";
import { SegmentedChoice } from "../../ui/segmented-choice.tsx";
import type { BannerPreview } from "./use-banner-preview.ts";

const SIZES = {
  phone: { width: 360, height: 640 },
  desktop: { width: 1_100, height: 700 },
} as const;
type Device = keyof typeof SIZES;

export function PreviewCard({ preview, published }: { preview: BannerPreview; published: number }) {
  const { t } = useTranslation("banner");
  const [device, setDevice] = useState<Device>("phone");
  const { shown, isDraftOld, error, scheme, setScheme, view, setView, store, page, setNeutral } =
    preview;
  const backdrop = page === "store" ? (store?.html ?? null) : null;
  return (
    <Card>
      <BlockStack gap="300">
        <CardHeading title={t("preview.title")} />
        <InlineStack gap="300">
          <SegmentedChoice
            label={t("preview.device")}
            names={{ phone: t("preview.phone"), desktop: t("preview.desktop") }}
            value={device}
            onChange={(next) => setDevice(next)}
          />
          <SegmentedChoice
            label={t("preview.scheme")}
            names={{ light: t("preview.light"), dark: t("preview.dark") }}
            value={scheme}
            onChange={(next) => setScheme(next)}
          />
          <SegmentedChoice
            label={t("preview.view")}
            names={{ banner: t("preview.banner"), preferences: t("preview.preferences") }}
            value={view}
            onChange={(next) => setView(next)}
          />
          {store?.html && (
            <SegmentedChoice
              label={t("preview.page")}
              names={{ store: t("preview.store"), neutral: t("preview.neutral") }}
              value={page}
              onChange={(next) => setNeutral(next === "neutral")}
            />
          )}
        </InlineStack>
        {error && (
          <Banner tone="critical">
            <p>{error.message}</p>
          </Banner>
        )}
        <div aria-live="polite">
          {isDraftOld && !error && (
            <Banner tone="warning">
              <p>{t("preview.notShown")}</p>
            </Banner>
          )}
        </div>
        <InlineGrid columns={{ xs: 1, sm: 2 }} gap="300">
          <Framed
            title={t("preview.draft")}
            html={shown?.draft ?? ""}
            device={device}
            backdrop={backdrop}
          />
          <Framed
            title={
              published === 0
                ? t("preview.default")
                : t("preview.published", { version: published })
            }
            html={shown?.published ?? ""}
            device={device}
            backdrop={backdrop}
          />
        </InlineGrid>
        <Text as="p" tone="subdued" variant="bodySm">
          {t("preview.text")} {store && t(`preview.pages.${store.state}`)}
        </Text>
      </BlockStack>
    </Card>
  );
}

type FramedProps = {
  title: string;
  html: string;
  device: Device;
  /** The store's own page; null where the preview has a page of its own. */
  backdrop: string | null;
};

/** A page of the device's size, made as small as its place. */
function Framed({ title, html, device, backdrop }: FramedProps) {
  const place = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setRoom(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const { width, height } = SIZES[device];
  const scale = Math.min(1, room / width);
  const style = {
    position: "absolute",
    insetInlineStart: Math.max(0, (room - width * scale) / 2),
    width,
    height,
    border: 0,
    transform: `scale(${scale})`,
    transformOrigin: "0 0",
  } as const;
  return (
    <BlockStack gap="100">
      <Text as="h3" variant="headingSm">
        {title}
      </Text>
      <div
        ref={place}
        style={{
          height: height * scale,
          minHeight: 120,
          overflow: "hidden",
          position: "relative",
          border: "1px solid var(--p-color-border)",
          borderRadius: 8,
          boxSizing: "content-box",
        }}
      >
        {backdrop && (
          <iframe
            aria-hidden
            title={title}
            sandbox=""
            tabIndex={-1}
            srcDoc={backdrop}
            style={style}
          />
        )}
        <iframe title={title} sandbox="" tabIndex={-1} srcDoc={html} style={style} />
      </div>
    </BlockStack>
  );
}
