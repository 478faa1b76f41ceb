import { text } from "./platform.ts";
import type { Tagging } from "./service.ts";

type Props = { tagging: Tagging; tag: string; onChoose: (slug: string) => void };

export function TagForm({ tagging: { segment, tags }, tag, onChoose }: Props) {
  if (segment.customers === 0) return <s-paragraph>{text("nobody")}</s-paragraph>;
  if (tags.length === 0) return <s-paragraph>{text("noTags")}</s-paragraph>;
  return (
    <>
      <s-paragraph>
        {text("customers", { count: segment.customers, segment: segment.name })}
      </s-paragraph>
      <s-select
        label={text("tag")}
        details={text("help")}
        placeholder={text("choose")}
        value={tag}
        onChange={({ currentTarget }) =>
          onChoose((currentTarget as EventTarget & { value: string }).value)
        }
      >
        {tags.map(({ slug, name }) => (
          <s-option key={slug} value={slug}>
            {name}
          </s-option>
        ))}
      </s-select>
    </>
  );
}
