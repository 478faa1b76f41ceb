// A block of the profile in the customer accounts (target `customer-account.profile.block.render`): the consents
// that are changed most, and the way to the page.
import "@shopify/ui-extensions/preact";
import { render } from "preact";
import { ConsentSwitches } from "./consents.tsx";
import { Loading } from "./loading.tsx";
import { t } from "./platform.ts";
import { useOverview } from "./use-overview.ts";

export default async () => render(<ProfileBlock />, document.body);

const SHOWN = ["marketing", "cookie"];

function ProfileBlock() {
  const { overview, code, reload } = useOverview();
  if (overview === null) return <Loading code={code} reload={reload} />;
  const active = overview.mandates.filter(({ status }) => status === "active").length;
  return (
    <s-section heading={t("name")}>
      <ConsentSwitches
        consents={overview.consents.filter(({ type }) => SHOWN.includes(type))}
        onChanged={reload}
      />
      <s-divider />
      <s-text color="subdued">
        {`${t("block.agents", { count: overview.agents.length })} · ${t("block.mandates", { count: active })}`}
      </s-text>
      <s-link href="extension:customer-account/">{t("block.open")}</s-link>
    </s-section>
  );
}
