// Standalone pages outside the store admin, in the browser's language.
import { useTranslation } from "react-i18next";
import type { ReactNode } from "react";
import stylesheet from "../plain-page.css?inline";

export function PlainPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <style dangerouslySetInnerHTML={{ __html: stylesheet }} />
      <main className="plain-page">
        <h1>{title}</h1>
        {children}
      </main>
    </>
  );
}

export function NotFoundPage() {
  const { t } = useTranslation("frame");
  return (
    <PlainPage title={t("problems.404.title")}>
      <p>{t("plain.notFound")}</p>
    </PlainPage>
  );
}

export function FailedPage() {
  const { t } = useTranslation("frame");
  return (
    <PlainPage title={t("problems.other.title")}>
      <p>{t("plain.failed")}</p>
    </PlainPage>
  );
}
