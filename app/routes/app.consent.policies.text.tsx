// One version of a policy: its text, and what changed between it and another version.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { PolicyComparison } from "../components/consent/policy-comparison.tsx";
import { PolicyTextCard } from "../components/consent/policy-text-card.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { withTranslations } from "../components/i18n/load-translations.ts";
import { PolicyAddress, showPolicy } from "../domain/consent/show-policy.ts";
import { notFound } from "../http/screens/screen-address.ts";
import { authenticate } from "../shopify.server.ts";

export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["consent"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  const query = Object.fromEntries(new URL(args.request.url).searchParams);
  // Addresses of earlier versions name the policy's language `locale`.
  const address = PolicyAddress.safeParse({ language: query.locale, ...query });
  const view = address.success ? await showPolicy(ctx, tenant, address.data) : null;
  if (!view) return notFound();
  return { ...view, isCurrent: view.policy.version === tenant.config.consent_policy_version };
}

export default function PolicyText() {
  const { t } = useTranslation("consent");
  const { isCurrent, ...view } = useLoaderData<typeof loader>();
  return (
    <ScreenPage
      title={t("policy.of", { version: view.policy.version })}
      back={{ content: t("policies"), to: "/app/consent/policies" }}
    >
      <PolicyTextCard policy={view.policy} isCurrent={isCurrent} />
      <PolicyComparison {...view} />
    </ScreenPage>
  );
}
