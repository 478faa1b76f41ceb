// A full page in the customer accounts (target `customer-account.page.render`).
import "@shopify/ui-extensions/preact";
import { render } from "preact";
import { AgentList, MandateList } from "./agents.tsx";
import { AccountTerms, ConsentSwitches } from "./consents.tsx";
import { HistoryList } from "./history.tsx";
import { Loading } from "./loading.tsx";
import { OwnData } from "./own-data.tsx";
import { t } from "./platform.ts";
import { useOverview } from "./use-overview.ts";

export default async () => render(<Page />, document.body);

function Page() {
  const { overview, code, reload } = useOverview();
  return (
    <s-page heading={t("name")} subheading={t("intro")}>
      {overview === null ? (
        <Loading code={code} reload={reload} />
      ) : (
        <s-stack gap="large">
          <s-section heading={t("consents.title")}>
            <s-paragraph color="subdued">{t("consents.text")}</s-paragraph>
            <ConsentSwitches consents={overview.consents} onChanged={reload} />
            <AccountTerms consents={overview.consents} />
          </s-section>
          <AgentList agents={overview.agents} onChanged={reload} />
          <MandateList mandates={overview.mandates} agents={overview.agents} onChanged={reload} />
          <HistoryList version={JSON.stringify([overview.consents, overview.mandates])} />
          <OwnData phrase={overview.confirmation} onDeleted={reload} />
        </s-stack>
      )}
    </s-page>
  );
}
