// The index of the settings: a row per page with its icon, what it is for, and its state.
import { useEffect, type ComponentProps } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "@remix-run/react";
import { Badge, Card, type Icon } from "@shopify/polaris";
import {
  AppExtensionIcon,
  AppsIcon,
  AutomationIcon,
  HideIcon,
  CodeIcon,
  DatabaseIcon,
  HashtagIcon,
  GlobeIcon,
  KeyIcon,
  NotificationIcon,
  PaintBrushFlatIcon,
  ShieldCheckMarkIcon,
  StoreIcon,
} from "@shopify/polaris-icons";
import type { IndexedPage } from "../../domain/merchant/settings-index.ts";
import { SettingsRow } from "./settings-row.tsx";

const ICONS: Record<IndexedPage["name"], ComponentProps<typeof Icon>["source"]> = {
  brand: PaintBrushFlatIcon,
  "sign-in": KeyIcon,
  consent: ShieldCheckMarkIcon,
  regions: GlobeIcon,
  scripts: HideIcon,
  integrations: AppsIcon,
  notifications: NotificationIcon,
  agents: AutomationIcon,
  privacy: DatabaseIcon,
  advanced: CodeIcon,
  places: AppExtensionIcon,
  connection: StoreIcon,
  tags: HashtagIcon,
};

type Props = {
  pages: IndexedPage[];
  /** Anchors of the former single page, and where each leads now. */
  anchors: Record<string, string>;
};

export function SettingsIndex({ pages, anchors }: Props) {
  const { t } = useTranslation("settings");
  const { hash } = useLocation();
  const navigate = useNavigate();
  const moved = Object.hasOwn(anchors, hash.slice(1)) ? anchors[hash.slice(1)] : undefined;
  useEffect(() => {
    if (moved) navigate(moved, { replace: true });
  }, [moved, navigate]);
  return (
    <Card padding="0">
      <ul style={{ listStyle: "none", margin: 0, padding: 0 }}>
        {pages.map(({ name, path, state }, at) => (
          <SettingsRow
            key={name}
            to={path}
            isFirst={at === 0}
            icon={ICONS[name]}
            title={t(`pages.${name}.title`)}
            text={t(`pages.${name}.text`)}
          >
            {state && <State {...state} />}
          </SettingsRow>
        ))}
      </ul>
    </Card>
  );
}

function State({ text, count, value, tone }: NonNullable<IndexedPage["state"]>) {
  const { t } = useTranslation("settings");
  return (
    <Badge {...(tone && { tone })}>
      {t(`states.${text}`, { count: count ?? 0, value: value ?? "" })}
    </Badge>
  );
}
