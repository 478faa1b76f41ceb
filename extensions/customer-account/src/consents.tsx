// The consents that the customer may change, each with a switch and its state.
import { useState } from "preact/hooks";
import { Problem } from "./loading.tsx";
import { dateOf, t, toast } from "./platform.ts";
import { call, type Consent } from "./service.ts";

type Props = { consents: Consent[]; onChanged(): Promise<void> };

export function ConsentSwitches({ consents, onChanged }: Props) {
  const [busy, setBusy] = useState<string | null>(null);
  const [problem, setProblem] = useState<{ type: string; code: string } | null>(null);

  const decide = async ({ type, granted }: Consent) => {
    setBusy(type);
    setProblem(null);
    const answer = await call("POST", "/consents", { type, granted: !granted });
    if (answer.ok) {
      toast(t(granted ? "consents.saved.off" : "consents.saved.on", { what: nameOf(type) }));
      await onChanged();
    } else setProblem({ type, code: answer.code });
    setBusy(null);
  };

  return (
    <s-stack gap="large">
      {consents
        .filter(({ changeable }) => changeable)
        .map((consent) => (
          <s-stack gap="small-400" key={consent.type}>
            <s-switch
              label={nameOf(consent.type)}
              checked={consent.granted}
              disabled={busy !== null}
              onChange={() => void decide(consent)}
            />
            <s-paragraph color="subdued">{t(`consents.help.${consent.type}`)}</s-paragraph>
            <s-text type="small" color="subdued">
              {stateOf(consent)}
            </s-text>
            <Problem code={problem?.type === consent.type ? problem.code : null} />
          </s-stack>
        ))}
    </s-stack>
  );
}

/** Terms and privacy policy, on which the account rests. */
export function AccountTerms({ consents }: { consents: Consent[] }) {
  const known = consents.filter(({ type, granted }) => /tos|privacy/.test(type) && granted);
  if (known.length === 0) return null;
  return (
    <s-stack gap="small-400">
      <s-divider />
      {known.map((consent) => (
        <s-text key={consent.type}>
          {t("consents.stateOf", { what: nameOf(consent.type), state: stateOf(consent) })}
        </s-text>
      ))}
      <s-text type="small" color="subdued">
        {t("consents.withTheAccount")}
      </s-text>
    </s-stack>
  );
}

const nameOf = (type: string) => t(`consents.names.${type}`);

function stateOf({ state, decided_at: at }: Consent): string {
  const text = t(`consents.state.${state}`);
  return at === null ? text : t("consents.since", { state: text, when: dateOf(at) });
}
