import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { TagsScreen } from "../components/tags/tags-screen.tsx";
import { findOpenRuleRun } from "../domain/customers/bulk/run-row.ts";
import { runChangedRules } from "../domain/customers/system-tags/rule-run.ts";
import {
  CountedRules,
  countRules,
  countThresholdTags,
  readRuleSettings,
  SavedRules,
  saveRules,
} from "../domain/customers/system-tags/rule-settings.ts";
import { matchTagsAtOnce } from "../domain/customers/tag-matching/match-tags.ts";
import {
  createTag,
  deleteUnusedTag,
  NamedTag,
  NewTag,
  RenamedTag,
  renameTag,
} from "../domain/tags/edit-tags.ts";
import { initTagStep, TAG_STEPS } from "../domain/tags/init-tag-system.ts";
import { readTagUsage, TagQuery } from "../domain/tags/tag-usage.ts";
import { forReading } from "../domain/tenants/reading.ts";
import { defineActions } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["tags", "customers", "conflict"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  const query = TagQuery.parse(Object.fromEntries(new URL(args.request.url).searchParams));
  const reader = await forReading(ctx, tenant);
  const [usage, people, run] = await Promise.all([
    readTagUsage(reader, tenant, query),
    countThresholdTags(reader, tenant),
    findOpenRuleRun(ctx, tenant),
  ]);
  return { query, usage, rules: { ...readRuleSettings(ctx, tenant), people }, run };
}

export const action = defineActions({
  create: {
    input: NewTag,
    async run({ ctx, tenant }, tag) {
      await createTag(ctx, tenant, tag);
      await matchTagsAtOnce(ctx, tenant);
    },
  },
  rename: { input: RenamedTag, run: ({ ctx, tenant }, tag) => renameTag(ctx, tenant, tag) },
  delete: { input: NamedTag, run: ({ ctx, tenant }, tag) => deleteUnusedTag(ctx, tenant, tag) },
  count_rules: {
    input: CountedRules,
    run: ({ ctx, tenant }, input) => countRules(ctx, tenant, input),
  },
  save_rules: {
    input: SavedRules,
    run: ({ ctx, tenant, staffId }, input) => saveRules(ctx, tenant, input, staffId),
  },
  prepare: {
    input: z.object({ step: z.enum(TAG_STEPS) }),
    async run({ ctx, tenant, staffId }, { step }) {
      const result = await initTagStep(ctx, tenant, step);
      await matchTagsAtOnce(ctx, tenant);
      await runChangedRules(ctx, tenant, staffId);
      return result;
    },
  },
});

export default function Tags() {
  return <TagsScreen {...useLoaderData<typeof loader>()} />;
}
