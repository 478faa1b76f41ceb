// The upload of a logo into the store's files.
import { z } from "zod";
import { uploadLogo } from "../domain/tenants/storefront/logo-upload.ts";
import { defineActions } from "../http/screens/screen-actions.ts";

export const action = defineActions({
  upload: {
    input: z.object({ file: z.instanceof(File) }),
    run: ({ ctx, tenant }, { file }) => uploadLogo(ctx, tenant, file),
  },
});
