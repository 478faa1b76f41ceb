// Copies a text, and says so.
import { useTranslation } from "react-i18next";
import { Button } from "@shopify/polaris";
import { showErrorToast, showToast } from "./toast.ts";

type Props = { label: string; text: string; accessibilityLabel?: string };

export function CopyButton({ label, text, accessibilityLabel }: Props) {
  const { t } = useTranslation("frame");
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => showToast(t("copied")),
      () => showErrorToast(t("notCopied")),
    );
  return (
    <Button onClick={() => void copy()} {...(accessibilityLabel && { accessibilityLabel })}>
      {label}
    </Button>
  );
}
