// The versions of the store's policy, and the publication of a new one.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { useState } from "react";
import { PolicyDialog } from "../components/consent/policy-dialog.tsx";
import { PolicyList } from "../components/consent/policy-list.tsx";
import { ConsentSections } from "../components/consent/consent-sections.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import {
  addPolicyVersion,
  NewPolicyVersion,
  PublishedVersion,
  putInForce,
  versionsOf,
} from "../domain/consent/policy-versions.ts";
import { listPolicies, MAX_LISTED_POLICIES } from "../domain/consent/policies.ts";
import { dataOf } from "../domain/tenants/tenant.ts";
import { defineActions } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["consent"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  const policies = await listPolicies(dataOf(ctx, tenant).sql);
  return {
    policies,
    isCut: policies.length === MAX_LISTED_POLICIES,
    versions: versionsOf(policies),
    current: tenant.config.consent_policy_version ?? null,
  };
}

export const action = defineActions({
  publish: {
    input: NewPolicyVersion,
    run: ({ ctx, tenant }, input) => addPolicyVersion(ctx, tenant, input),
  },
  put_in_force: {
    input: PublishedVersion,
    run: ({ ctx, tenant }, input) => putInForce(ctx, tenant, input),
  },
});

export default function Policies() {
  const { t } = useTranslation("consent");
  const list = useLoaderData<typeof loader>();
  const [isAdding, setIsAdding] = useState(false);
  return (
    <>
      <ScreenPage
        title={t("policies")}
        nav={<ConsentSections />}
        actions={
          <button variant="primary" onClick={() => setIsAdding(true)}>
            {t("policy.add")}
          </button>
        }
      >
        <PolicyList {...list} />
      </ScreenPage>
      {isAdding && <PolicyDialog onClose={() => setIsAdding(false)} />}
    </>
  );
}
