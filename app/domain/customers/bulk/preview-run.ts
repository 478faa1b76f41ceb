// What a bulk run would change, counted without changing it.
import type { Ctx } from "../../../context.server.ts";
import { defineTag } from "../../tags/catalog.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { hasRemovableTag, hasTag, tagIdOf } from "../list/filter-condition.ts";
import type { ActionRunInput, TagRunInput } from "./run-inputs.ts";
import { CHANGED_BY, countSelected } from "./selection.ts";

export type TagPreview = {
  total: number;
  /** People of whom something changes. */
  changing: number;
  /** Per tag: how many get it, or lose it. */
  tags: {
    slug: string;
    name: string;
    action: "add" | "remove";
    people: number;
  }[];
};

/** What is shown, and the id of its confirmation: confirmed twice, it starts one run. */
export type Confirmable<Preview> = { preview: Preview; request_id: string };

export const toConfirmable = <Preview>(ctx: Ctx, preview: Preview): Confirmable<Preview> => ({
  preview,
  request_id: ctx.random.uuid(),
});

/**
 * Previews a run without changes. Each count is one pass over the selected customers and the
 * holders of a tag.
 */
export async function previewTagRun(
  ctx: Ctx,
  tenant: Tenant,
  { selection, add, remove }: TagRunInput,
): Promise<TagPreview> {
  const count = (conditions: readonly string[], values: readonly number[]) =>
    countSelected(ctx, tenant, selection, conditions, values);
  const total = await count([], []);
  const asked = [
    ...add.map((tag) => ({ ...namedTag(tag), action: "add" as const })),
    ...remove.map((tag) => ({ ...namedTag(tag), action: "remove" as const })),
  ];
  const tags: TagPreview["tags"] = [];
  const unchanged: string[] = [];
  const ids: number[] = [];
  for (const [place, tag] of asked.entries()) {
    const id = await tagIdOf(ctx, tenant, tag.slug);
    const isMeant = tag.action === "add" ? hasTag : hasRemovableTag;
    const holders = id === 0 ? 0 : await count([isMeant("$2")], [id]);
    tags.push({ ...tag, people: tag.action === "add" ? total - holders : holders });
    ids.push(id);
    unchanged.push(`${tag.action === "add" ? "" : "NOT "}${isMeant(`$${place + 2}`)}`);
  }
  const [only, ...others] = tags;
  return {
    total,
    changing: only && others.length === 0 ? only.people : total - (await count(unchanged, ids)),
    tags,
  };
}

function namedTag(typed: string): { slug: string; name: string } {
  const { slug, name } = defineTag(typed);
  return { slug, name };
}

export type ActionPreview = { total: number; /** Customers who would change. */ changing: number };

export async function previewAction(
  ctx: Ctx,
  tenant: Tenant,
  { kind, selection }: Pick<ActionRunInput, "kind" | "selection">,
): Promise<ActionPreview> {
  const [total, changing] = await Promise.all([
    countSelected(ctx, tenant, selection),
    countSelected(ctx, tenant, selection, [CHANGED_BY[kind]]),
  ]);
  return { total, changing };
}
