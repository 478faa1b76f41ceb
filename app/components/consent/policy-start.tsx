// Starts a version from a policy that the store publishes. Reading those needs a permission that the
// merchant gives here, in the admin's own question.
import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Button, Select } from "@shopify/polaris";
import { useCallback, useEffect, useState } from "react";
import type {
  PublishedPolicies,
  PublishedPolicy,
} from "../../domain/consent/published-policies.ts";
import { useStoreProblem } from "../hooks/use-store-problem.ts";
import { useDateFormat } from "../ui/date-time.tsx";
import { requestScopes } from "./request-scope.ts";

const PATH = "/app/consent/policies/published";
const UNAVAILABLE: PublishedPolicies = {
  state: "unavailable",
  problem: { code: "storefront_unavailable", http_status: null },
};

export function PolicyStart({ onStart }: { onStart(policy: PublishedPolicy): void }) {
  const { t } = useTranslation("consent");
  const { formatDay } = useDateFormat();
  const { found, reload } = usePublishedPolicies();
  const [type, setType] = useState("");
  const say = useStoreProblem();
  if (found?.state === "not_allowed")
    return <AskForAccess scope={found.scope} onAllowed={() => void reload()} />;
  const policies = found?.state === "known" ? found.policies : [];
  const helpText = () => {
    if (!found) return t("policy.start.loading");
    if (found.state === "unavailable") return say(found.problem, t("policy.start.unavailable"));
    return policies.length === 0 ? t("policy.start.nothing") : t("policy.start.help");
  };
  return (
    <Select
      label={t("policy.start.label")}
      helpText={helpText()}
      disabled={policies.length === 0}
      options={[
        { value: "", label: t("policy.start.empty") },
        ...policies.map((policy) => ({
          value: policy.type,
          label: t("policy.start.choice", {
            title: policy.title,
            day: formatDay(policy.updatedAt),
          }),
        })),
      ]}
      value={type}
      onChange={(chosen) => {
        setType(chosen);
        const policy = policies.find((one) => one.type === chosen);
        if (policy) onStart(policy);
      }}
    />
  );
}

function AskForAccess({ scope, onAllowed }: { scope: string; onAllowed(): void }) {
  const { t } = useTranslation("consent");
  const [isDeclined, setIsDeclined] = useState(false);
  const ask = async () => {
    const isAllowed = await requestScopes([scope]);
    setIsDeclined(!isAllowed);
    if (isAllowed) onAllowed();
  };
  return (
    <Banner tone="info">
      <BlockStack gap="200" inlineAlign="start">
        <p>{t("policy.start.access", { scope })}</p>
        <Button onClick={() => void ask()}>{t("policy.start.allow")}</Button>
        <div aria-live="polite">{isDeclined && <p>{t("policy.start.declined")}</p>}</div>
      </BlockStack>
    </Banner>
  );
}

/** Not with a fetcher: the router replaces the whole page when one of its calls fails. */
function usePublishedPolicies(): { found: PublishedPolicies | null; reload(): Promise<void> } {
  const [found, setFound] = useState<PublishedPolicies | null>(null);
  const read = useCallback(async (signal?: AbortSignal) => {
    const policies = await askForPolicies(signal).catch(() => UNAVAILABLE);
    if (!signal?.aborted) setFound(policies);
  }, []);
  useEffect(() => {
    const leaving = new AbortController();
    void read(leaving.signal);
    return () => leaving.abort();
  }, [read]);
  return { found, reload: () => read() };
}

/** Rejects when the service cannot be reached, and when `signal` is aborted at any moment. */
async function askForPolicies(signal?: AbortSignal): Promise<PublishedPolicies> {
  const answer = await fetch(PATH, signal ? { signal } : {});
  return answer.ok ? ((await answer.json()) as PublishedPolicies) : UNAVAILABLE;
}
