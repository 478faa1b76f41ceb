// What stands where the overview is not there: it is being read, cannot be read, or was deleted.
import { t } from "./platform.ts";
import { reasonOf } from "./service.ts";
import type { Loaded } from "./use-overview.ts";

export function Loading({ code, reload }: Pick<Loaded, "code" | "reload">) {
  if (code === null)
    return (
      <s-section accessibilityLabel={t("loading")}>
        <s-spinner accessibilityLabel={t("loading")} />
        <s-skeleton-paragraph />
      </s-section>
    );
  if (code === "account_deleted")
    return (
      <s-banner tone="info" heading={t("data.deletedTitle")}>
        <s-paragraph>{t("data.deleted")}</s-paragraph>
      </s-banner>
    );
  return (
    <s-banner tone="critical">
      <s-stack gap="small">
        <s-paragraph>{reasonOf(code)}</s-paragraph>
        {code !== "account_suspended" && (
          <s-button onClick={() => void reload()}>{t("tryAgain")}</s-button>
        )}
      </s-stack>
    </s-banner>
  );
}

export function Problem({ code }: { code: string | null }) {
  return code === null ? null : (
    <s-banner tone="critical">
      <s-paragraph>{reasonOf(code)}</s-paragraph>
    </s-banner>
  );
}
