// What the customer list can be filtered by, and how an applied filter reads.
import { useTranslation } from "react-i18next";
import { formatPlainDay } from "../../ui/date-time.tsx";
import { formatCount } from "../../i18n/format-number.ts";
import { useLocale, type Locale } from "../../i18n/locale.ts";
import { useLabelled } from "../../i18n/use-labelled.ts";
import { formatMoney, type Currency } from "./money.ts";
import type { FilterName, ListFilter } from "./list-address.ts";

type Named = { code: string; names: Record<Locale, string> };
export type Choices = {
  tags: { slug: string; name: string }[];
  countries: Named[];
  languages: Named[];
};

type Choice = { label: string; value: string };
export type ChoiceGroup = {
  name: FilterName;
  label: string;
  choices: Choice[];
  /** Several at once: how they are joined. */
  joined?: "conjunction" | "disjunction";
};
export type RangeGroup = {
  name: "orders" | "spent" | "joined";
  label: string;
  from: FilterName;
  to: FilterName;
  kind: "count" | "amount" | "day";
};
export type FilterGroup = ChoiceGroup | RangeGroup;

export const valuesOf = (value: ListFilter[FilterName]): string[] =>
  value === undefined ? [] : [value].flat().map(String);

export const isRange = (group: FilterGroup): group is RangeGroup => "kind" in group;

export function useFilterGroups(choices: Choices, currency: Currency | null): FilterGroup[] {
  const { t } = useTranslation(["customers", "glossary"]);
  const locale = useLocale();
  const listed = (values: Record<string, string>) =>
    Object.entries(values).map(([value, label]) => ({ value, label }));
  const named = (values: Named[]) =>
    values.map(({ code, names }) => ({ value: code, label: names[locale] }));
  const tags = choices.tags.map(({ slug, name }) => ({ value: slug, label: name }));
  const subscriptions = listed(t("subscription", { returnObjects: true }));
  return [
    { name: "tag", label: t("filters.tag"), choices: tags, joined: "conjunction" },
    { name: "tag_any", label: t("filters.tagAny"), choices: tags, joined: "disjunction" },
    { name: "tag_none", label: t("filters.tagNone"), choices: tags, joined: "disjunction" },
    {
      name: "consent",
      label: t("filters.consent"),
      joined: "conjunction",
      choices: listed(t("glossary:consent", { returnObjects: true })).flatMap(
        ({ value, label }) => [
          { value, label: t("granted", { consent: label }) },
          { value: `-${value}`, label: t("not", { consent: label }) },
          { value: `revoked-${value}`, label: t("revoked", { consent: label }) },
        ],
      ),
    },
    {
      name: "email_subscription",
      label: t("filters.emailSubscription"),
      choices: subscriptions,
    },
    { name: "sms_subscription", label: t("filters.smsSubscription"), choices: subscriptions },
    {
      name: "orders",
      label: t("filters.orders"),
      from: "orders_min",
      to: "orders_max",
      kind: "count",
    },
    {
      name: "spent",
      label: currency ? t("filters.spentIn", { currency: currency.code }) : t("filters.spent"),
      from: "spent_min",
      to: "spent_max",
      kind: "amount",
    },
    {
      name: "joined",
      label: t("filters.joined"),
      from: "joined_from",
      to: "joined_to",
      kind: "day",
    },
    {
      name: "signed_in",
      label: t("filters.signedIn"),
      choices: listed(t("signedIn", { returnObjects: true })),
    },
    {
      name: "active",
      label: t("filters.active"),
      choices: [30, 90, 180, 365].flatMap((days) => [
        { value: String(days), label: t("activity.within", { days }) },
        { value: String(-days), label: t("activity.notWithin", { days }) },
      ]),
    },
    { name: "country", label: t("filters.country"), choices: named(choices.countries) },
    { name: "language", label: t("filters.language"), choices: named(choices.languages) },
    {
      name: "provider",
      label: t("filters.provider"),
      choices: listed(t("glossary:provider", { returnObjects: true })),
    },
    {
      name: "status",
      label: t("filters.status"),
      choices: listed(t("glossary:status", { returnObjects: true })),
    },
  ];
}

/** The applied filter in words; null when the group filters nothing. */
export function useAppliedText(currency: Currency | null) {
  const { t } = useTranslation("customers");
  const labelled = useLabelled();
  const locale = useLocale();
  // `Intl.ListFormat` is not used: a browser's format may differ from the server's.
  const listOf = (labels: string[], joined: ChoiceGroup["joined"] = "conjunction") =>
    labels.length < 2
      ? labels.join("")
      : t(`joined.${joined}`, { first: labels.slice(0, -1).join(", "), last: labels.at(-1) });
  const valueOf = (kind: RangeGroup["kind"], value: string | number) => {
    if (kind === "day") return formatPlainDay(locale, String(value));
    return kind === "count"
      ? formatCount(locale, Number(value))
      : formatMoney(locale, Number(value), currency);
  };
  return (group: FilterGroup, filter: ListFilter): string | null => {
    if (!isRange(group)) {
      const value = filter[group.name];
      if (value === undefined) return null;
      const labels = valuesOf(value).map(
        (one) => group.choices.find((choice) => choice.value === one)?.label ?? one,
      );
      return labelled(group.label, listOf(labels, group.joined));
    }
    const [from, to] = [filter[group.from], filter[group.to]].map((value) =>
      value === undefined || Array.isArray(value) ? null : valueOf(group.kind, value),
    );
    if (from && to) return labelled(group.label, t("range.between", { from, to }));
    if (from) return labelled(group.label, t("range.atLeast", { from }));
    return to ? labelled(group.label, t("range.atMost", { to })) : null;
  };
}
