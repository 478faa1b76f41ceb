// What shoppers were told: the versions of the store's policy, and publishing a new one.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { PolicyForm, PolicyList } from "../components/consent/consent-policies.tsx";
import { ConsentSections } from "../components/consent/consent-sections.tsx";
import { CONSENT_WORDS } from "../components/consent/consent-words.ts";
import { ScreenPage } from "../components/screen-page.tsx";
import { useWords } from "../components/words.tsx";
import { addPolicyVersion, NewPolicyVersion } from "../domain/consent/policy-versions.ts";
import { listPolicies } from "../domain/consent/policies.ts";
import { dataOf } from "../domain/tenants/tenant.ts";
import { deed, deeds } from "../http/screen-deeds.ts";
import { visitScreen } from "../http/screen-visit.ts";

export {
  keepWhenLocked as shouldRevalidate,
  keepWhenUnreachable as clientAction,
} from "../components/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/screen-error.tsx";
export { screenHeaders as headers } from "../components/screen-headers.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await visitScreen(args);
  return {
    policies: await listPolicies(dataOf(ctx, tenant).sql),
    current: tenant.config.consent_policy_version ?? null,
  };
}

export const action = deeds({
  publish: deed(NewPolicyVersion, ({ ctx, tenant }, input) => addPolicyVersion(ctx, tenant, input)),
});

export default function Policies() {
  const { policies, current } = useLoaderData<typeof loader>();
  return (
    <ScreenPage title={useWords(CONSENT_WORDS).policies} nav={<ConsentSections />}>
      <PolicyList policies={policies} current={current} />
      <PolicyForm />
    </ScreenPage>
  );
}
