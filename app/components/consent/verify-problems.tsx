import { useTranslation } from "react-i18next";
import { List } from "@shopify/polaris";
import type { Verification } from "../../domain/consent/verification-run.ts";
import { formatCount } from "../i18n/format-number.ts";
import { useLocale } from "../i18n/locale.ts";

type Problems = NonNullable<Verification["result"]>["problems"];

/** The entries that a check found wrong; `all` may be more than are listed. */
export default function VerifyProblems({ problems, all }: { problems: Problems; all: number }) {
  const { t } = useTranslation("consent");
  const locale = useLocale();
  const count = (value: number) => formatCount(locale, value);
  return (
    <>
      <List>
        {problems.map(({ seq, kind }) => (
          <List.Item key={`${kind}-${seq}`}>
            {`${t("verify.place")} ${count(seq)} ${t(`verify.kinds.${kind}`)}`}
          </List.Item>
        ))}
      </List>
      {all > problems.length && <p>{t("verify.more", { total: count(all - problems.length) })}</p>}
    </>
  );
}
