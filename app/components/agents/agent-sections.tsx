import { useTranslation } from "react-i18next";
import { SectionNav } from "../frame/section-nav.tsx";

export function AgentSections() {
  const { t } = useTranslation("agents");
  return (
    <SectionNav
      label={t("sections")}
      pages={[
        { path: "/app/agents", text: t("linked") },
        { path: "/app/agents/activity", text: t("activity") },
        { path: "/app/agents/mandates", text: t("mandates") },
      ]}
    />
  );
}
