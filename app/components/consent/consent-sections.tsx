import { useTranslation } from "react-i18next";
import { SectionNav } from "../frame/section-nav.tsx";

export function ConsentSections() {
  const { t } = useTranslation("consent");
  return (
    <SectionNav
      label={t("sections")}
      pages={[
        { path: "/app/consent", text: t("log") },
        { path: "/app/consent/banner", text: t("banner") },
        { path: "/app/consent/insights", text: t("insights") },
        { path: "/app/consent/policies", text: t("policies") },
        { path: "/app/consent/storefront", text: t("storefront") },
        { path: "/app/consent/cookies", text: t("cookies") },
      ]}
    />
  );
}
