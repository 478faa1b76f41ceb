// The form of one filter: a choice, or a range of numbers or days. Loaded when a filter is opened.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, ChoiceList, TextField } from "@shopify/polaris";
import { useState, type KeyboardEvent } from "react";
import { valuesOf, type ChoiceGroup, type FilterGroup, type RangeGroup } from "./filter-groups.ts";
import type { ListFilter } from "./list-address.ts";

type Props<Group> = {
  group: Group;
  filter: ListFilter;
  onChange: (change: ListFilter) => void;
};

export default function FilterField({ group, ...field }: Props<FilterGroup>) {
  return "kind" in group ? (
    <RangeField group={group} {...field} />
  ) : (
    <ChoiceField group={group} {...field} />
  );
}

/** The filter's schema takes at most this many (domain/customers/list/customer-filter.ts). */
const MAX_CHOSEN = 20;

function ChoiceField({ group, filter, onChange }: Props<ChoiceGroup>) {
  const { name, label, choices, joined } = group;
  const chosen = valuesOf(filter[name]);
  const isFull = joined !== undefined && chosen.length >= MAX_CHOSEN;
  return (
    <ChoiceList
      title={label}
      titleHidden
      allowMultiple={joined !== undefined}
      choices={
        isFull ? choices.map((one) => ({ ...one, disabled: !chosen.includes(one.value) })) : choices
      }
      selected={chosen}
      onChange={(values) => onChange({ [name]: joined && values.length > 0 ? values : values[0] })}
    />
  );
}

const SHAPES = {
  count: /^\d{1,9}$/,
  amount: /^\d{1,12}(\.\d{1,4})?$/,
  day: /^\d{4}-\d{2}-\d{2}$/,
};

type RangeProblem = "range.notDay" | "range.notNumber" | "range.reversed";

/** What is wrong with each end of a range; an empty end is open. */
function findRangeProblems(
  kind: RangeGroup["kind"],
  first: string,
  last: string,
): (RangeProblem | undefined)[] {
  const problemOf = (value: string): RangeProblem | undefined => {
    if (value === "" || SHAPES[kind].test(value)) return undefined;
    return kind === "day" ? "range.notDay" : "range.notNumber";
  };
  const problems = [problemOf(first), problemOf(last)];
  if (problems.some(Boolean) || first === "" || last === "") return problems;
  const isReversed = kind === "day" ? first > last : Number(first) > Number(last);
  return isReversed ? [undefined, "range.reversed"] : problems;
}

function RangeField({ group: { from, to, kind }, filter, onChange }: Props<RangeGroup>) {
  const { t } = useTranslation("customers");
  const [values, setValues] = useState([String(filter[from] ?? ""), String(filter[to] ?? "")]);
  const [isChecked, setIsChecked] = useState(false);
  const [first = "", last = ""] = values.map((value) =>
    kind === "amount" ? value.trim().replace(",", ".") : value.trim(),
  );
  const problems = findRangeProblems(kind, first, last);
  const errorAt = (place: number) => {
    const problem = isChecked && problems[place];
    return problem ? t(problem) : undefined;
  };
  const apply = () => {
    setIsChecked(true);
    if (problems.some(Boolean)) return;
    onChange({ [from]: first || undefined, [to]: last || undefined });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    apply();
  };
  return (
    <div onKeyDown={onKeyDown}>
      <BlockStack gap="200">
        {[t("range.from"), t("range.to")].map((label, place) => (
          <TextField
            key={label}
            label={label}
            {...(kind === "day" ? { type: "date" } : { inputMode: "decimal", maxLength: 17 })}
            value={values[place] ?? ""}
            onChange={(value) =>
              setValues((known) => known.map((one, at) => (at === place ? value : one)))
            }
            autoComplete="off"
            error={errorAt(place)}
          />
        ))}
        <Button onClick={apply}>{t("range.apply")}</Button>
      </BlockStack>
    </div>
  );
}
