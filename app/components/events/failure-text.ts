import { useTranslation } from "react-i18next";
import type { Failure } from "../../domain/bus/log/failure-kind.ts";
import type { Skip } from "../../domain/bus/outcome.ts";
import { useSkipText } from "../i18n/skip-text.ts";
import { useLabelled } from "../i18n/use-labelled.ts";

/** The reason of a failed delivery, with the HTTP status if there is one. */
export function useFailureText(): (failure: Failure) => string {
  const { t } = useTranslation("failures");
  const labelled = useLabelled();
  return ({ kind, about, http_status: status }) => {
    const text = t(`kinds.${kind}`);
    const isAnswered = status !== null && status >= 300;
    const answered = isAnswered ? ` (${t("answered", { status })})` : "";
    if (about !== null) return `${labelled(text, about)}${answered}.`;
    // The status stands inside the first sentence: what to do comes after it.
    return text.replace(/[.]|$/, `${answered}.`);
  };
}

/** Why an attempt failed or sent nothing; a dash for any other. */
export function useReasonText(): (settled: {
  failure: Failure | null;
  skip: Skip | null;
}) => string {
  const failureText = useFailureText();
  const skipText = useSkipText();
  return ({ failure, skip }) => (failure ? failureText(failure) : skip ? skipText(skip) : "-");
}
