import { useTranslation } from "react-i18next";
import type { Failure } from "../../domain/bus/log/failure-kind.ts";

/** The reason of a failed delivery, with the HTTP status if there is one. */
export function useFailureText(): (failure: Failure) => string {
  const { t } = useTranslation("events");
  return ({ kind, about, http_status: status }) => {
    const text = t(`channel.failures.${kind}`);
    const sentence = about === null ? text.replace(/(?<![.])$/, ".") : `${text}: ${about}.`;
    return status !== null && status >= 400
      ? `${sentence} (${t("channel.answered", { status })})`
      : sentence;
  };
}
