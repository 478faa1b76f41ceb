// The editor's preview: the draft as it is being typed and the published banner, rendered as shoppers get them.
import { z } from "zod";
import { findContrasts } from "../domain/tenants/banner/banner-design.ts";
import { readDesign } from "../domain/tenants/banner/banner-drafts.ts";
import { BANNER_LANGUAGES } from "../domain/tenants/banner/banner-texts.ts";
import { findPublishedBanner } from "../domain/tenants/banner/published-banner.ts";
import { PREVIEW_PAGES, PREVIEW_VIEWS, previewDesign } from "../embeds/banner-preview.ts";
import { defineJsonActions } from "../http/screens/screen-actions.ts";

const PreviewInput = z.object({
  fields: z.record(z.string().max(40), z.unknown()),
  language: z.enum(BANNER_LANGUAGES),
  scheme: z.enum(["light", "dark"]),
  view: z.enum(PREVIEW_VIEWS),
  page: z.enum(PREVIEW_PAGES),
});

export const action = defineJsonActions({
  preview: {
    input: PreviewInput,
    async run({ ctx, tenant }, { fields, ...options }) {
      const draft = readDesign(fields);
      const published = await findPublishedBanner(ctx, tenant);
      return {
        draft: draft.design && previewDesign(tenant, draft.design, ctx.baseUrl, options),
        published: previewDesign(tenant, published.design, ctx.baseUrl, options),
        problems: draft.design ? {} : draft.problems,
        contrasts: { light: findContrasts(fields.light), dark: findContrasts(fields.dark) },
      };
    },
  },
});
