// The preview beside the brand settings: a shopper's page with the values that are being typed.
import { BrandPreviewInput, withBrandDraft } from "../domain/merchant/brand-draft.ts";
import { renderBrandPreview } from "../embeds/brand-preview.ts";
import { lookOf } from "../embeds/public-config.ts";
import { defineJsonActions } from "../http/screens/screen-actions.ts";

export const action = defineJsonActions({
  preview: {
    input: BrandPreviewInput,
    run: ({ tenant }, { fields, scheme }) => ({
      html: renderBrandPreview(lookOf(withBrandDraft(tenant, fields)), scheme),
    }),
  },
});
