import { useTranslation } from "react-i18next";
import { Text } from "@shopify/polaris";
import { useState } from "react";
import { clientLazy } from "../frame/deferred-card.tsx";
import { ScreenPage } from "../frame/screen-page.tsx";
import { PageGutter } from "../ui/layout.tsx";
import { AccessLogButton } from "./access-log-button.tsx";
import { PrivacyBoard, type Board } from "./privacy-board.tsx";

const PrivacyDialog = clientLazy(() => import("./privacy-dialog.tsx"));

export function PrivacyScreen(board: Board) {
  const { t } = useTranslation("privacy");
  const [isStarting, setIsStarting] = useState(false);
  return (
    <>
      <ScreenPage
        title={t("title")}
        actions={
          <>
            <button variant="primary" onClick={() => setIsStarting(true)}>
              {t("make.title")}
            </button>
            <AccessLogButton />
          </>
        }
      >
        <PageGutter>
          <Text as="p">{t("intro")}</Text>
        </PageGutter>
        <PrivacyBoard {...board} />
      </ScreenPage>
      {isStarting && <PrivacyDialog onClose={() => setIsStarting(false)} />}
    </>
  );
}
