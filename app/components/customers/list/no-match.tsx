// No customer matches the search and the filters.
import { useTranslation } from "react-i18next";
import { EmptyState } from "../../ui/empty-state.tsx";

export default function NoMatch({ onClear }: { onClear: () => void }) {
  const { t } = useTranslation("customers");
  return (
    <EmptyState heading={t("noMatch")} action={{ content: t("clear"), onAction: onClear }}>
      <p>{t("noMatchText")}</p>
    </EmptyState>
  );
}
