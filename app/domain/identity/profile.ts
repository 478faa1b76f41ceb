// The signed-in person's own account: reading and changing it.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { cleanName } from "../customers/person-name.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { getAccount, isProven, toUser, type Account, type Person, type User } from "./account.ts";
import { epochOf } from "./links.ts";
import { listOwnTags, toShownTag } from "./own-tags.ts";
import type { Session } from "./session/sessions.ts";

const name = z.string().overwrite(cleanName).max(200).nullable().optional();

export const ProfileChange = z.object({
  first_name: name,
  last_name: name,
  language_pref: z
    .string()
    .regex(/^[a-z]{2}(-[A-Za-z]{2,4})?$/, "must be a language code such as en")
    .optional(),
  avatar_url: z
    .url({ protocol: /^https$/, error: "must be an https address" })
    .max(2_000)
    .nullable()
    .optional(),
});

/** For a person not verified as the storefront's customer, only the tags assigned here. */
export async function showUser(ctx: Ctx, tenant: Tenant, account: Account): Promise<User> {
  const user = toUser(account);
  if (isProven(account) || account.tags.length === 0) return user;
  return { ...user, tags: (await listOwnTags(ctx, tenant, { account })).map(({ slug }) => slug) };
}

export const showMe = async (ctx: Ctx, tenant: Tenant, { account, consents }: Person) => ({
  user: await showUser(ctx, tenant, account),
  consents,
});

export async function showProfile(ctx: Ctx, tenant: Tenant, person: Person) {
  const data = dataOf(ctx, tenant);
  const userId = person.account.id;
  const [me, claims, tags, links] = await Promise.all([
    showMe(ctx, tenant, person),
    data.prisma.userClaims.findUnique({
      select: { segment_id: true, language: true, consent_version: true },
      where: { shop_user_id: { shop: tenant.shop, user_id: userId } },
    }),
    listOwnTags(ctx, tenant, person),
    data.prisma.identityLink.groupBy({
      by: "provider",
      where: { user_id: userId },
      orderBy: { provider: "asc" },
    }),
  ]);
  return {
    ...me,
    tags: tags.map(toShownTag),
    segment_id: claims?.segment_id ?? null,
    language: claims?.language ?? null,
    consent_version: claims?.consent_version ?? null,
    linked_providers: [
      ...(person.account.password_hash ? ["email"] : []),
      ...links.map(({ provider }) => provider),
    ],
  };
}

/**
 * Under the row's lock: concurrent changes are not lost, and none is written to an account that was
 * deleted meanwhile, nor for a session that ended.
 */
export async function changeProfile(
  ctx: Ctx,
  tenant: Tenant,
  session: Session,
  change: z.output<typeof ProfileChange>,
) {
  const account = await dataOf(ctx, tenant).transaction(async (sql, prisma) => {
    const known = await getAccount(sql, session.account.id, { lock: true });
    if (known.status !== "active" || epochOf(known) !== epochOf(session.account))
      throw new AppError("unauthorized");
    const next = {
      first_name: known.first_name,
      last_name: known.last_name,
      language_pref: known.language_pref,
      avatar_url: known.avatar_url,
      ...withoutUndefined(change),
    };
    const isRenamed = change.first_name !== undefined || change.last_name !== undefined;
    const fullName = isRenamed
      ? [next.first_name, next.last_name].filter(Boolean).join(" ") || null
      : known.full_name;
    await sql(
      `UPDATE storefront_users SET first_name = $3, last_name = $4, full_name = $5,
        language_pref = $6, avatar_url = $7, updated_at = now() WHERE shop = $1 AND id = $2`,
      [
        known.id,
        next.first_name || null,
        next.last_name || null,
        fullName,
        next.language_pref,
        next.avatar_url,
      ],
    );
    if (change.language_pref !== undefined)
      await prisma.userClaims.upsert({
        where: { shop_user_id: { shop: tenant.shop, user_id: known.id } },
        create: { shop: tenant.shop, user_id: known.id, language: change.language_pref },
        update: { language: change.language_pref },
      });
    return getAccount(sql, known.id);
  });
  return showProfile(ctx, tenant, { ...session, account });
}

function withoutUndefined<T extends object>(
  object: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
