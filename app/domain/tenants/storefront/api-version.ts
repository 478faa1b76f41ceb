// What the platform says about the version of a call (shopify.dev "About Shopify API versioning"). A retired version
// is answered in another one, with another schema and without an error: only this tells the operator to update.
import type { Ctx } from "../../../context.server.ts";
import type { GraphqlAnswer } from "../../../integrations/storefront/graphql-answer.ts";

const MAX_NOTED = 500;
const noted = new WeakMap<Ctx, Set<string>>();

/** Logs what this process has not logged before. */
export function noteVersion(ctx: Ctx, { version }: Pick<GraphqlAnswer<unknown>, "version">): void {
  if (!version) return;
  const { asked, served, deprecated } = version;
  const known = noted.get(ctx) ?? new Set<string>();
  noted.set(ctx, known);
  const isNew = (name: string) => {
    if (known.has(name) || known.size >= MAX_NOTED) return false;
    known.add(name);
    return true;
  };
  if (asked !== served && isNew(`${asked} ${served}`))
    ctx.log.warn("storefront_api.version_retired", { asked, served });
  const fields = deprecated.filter((field) => isNew(`${served} ${field}`));
  if (fields.length > 0)
    ctx.log.info("storefront_api.fields_deprecated", { version: served, fields });
}
