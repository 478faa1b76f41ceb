// What a merchant changes in the list of cookies.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { isUniqueViolation, type TransactionPrisma } from "../../db.server.ts";
import { storableText } from "../../runtime/database/storable-json.ts";
import { AppError } from "../../runtime/errors.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { PURPOSES } from "../vendors/known-vendors.ts";
import { isKnownCookie } from "./known-cookies.ts";

const MAX_ENTRIES = 300;

/** One line, as it is shown in a cell. */
const line = (min: number, max: number) =>
  z
    .string()
    .transform((text) =>
      storableText(text)
        .normalize("NFC")
        .replace(/[\s\p{Cc}]+/gu, " ")
        .trim(),
    )
    .pipe(z.string().min(min).max(max));

/** `provider`: empty for the store itself. */
export const NamedCookie = z.object({ provider: line(0, 80), name: line(1, 100) });
export const SavedCookie = NamedCookie.extend({
  purpose: z.enum(PURPOSES),
  use: line(1, 300),
  duration: line(1, 60),
  /** The row that is changed; null for a new one. */
  was: NamedCookie.nullable(),
  /** The merchant's words of that row when the form was opened; null: it had none. */
  seen: z
    .object({ purpose: z.string().max(40), use: z.string().max(300), duration: z.string().max(60) })
    .nullish(),
});
export const HiddenCookie = NamedCookie.extend({ is_hidden: z.boolean() });
type Named = z.output<typeof NamedCookie>;

/**
 * Adds a row, or changes one. A known row keeps its provider and name. Throws `conflict` when another row of the
 * merchant has them, or when somebody else changed this one meanwhile, and `invalid_request`.
 */
export async function saveCookie(
  ctx: Ctx,
  tenant: Tenant,
  { was, seen, provider, name, ...values }: z.output<typeof SavedCookie>,
): Promise<void> {
  const row = { provider, name };
  const isSame = was !== null && was.provider === provider && was.name === name;
  if (was && !isSame && isKnownCookie(was))
    throw new AppError("invalid_request", { fields: { name: "a known cookie keeps its name" } });
  try {
    await dataOf(ctx, tenant).transaction(async (_, prisma) => {
      if (was && (await changeEntry(prisma, was, seen, { ...row, ...values }))) return;
      if (!was) await requireRoom(prisma);
      await prisma.cookieEntry.create({ data: { shop: tenant.shop, ...row, ...values } });
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw isSame ? changedMeanwhile() : new AppError("conflict", { fields: { name: "exists" } });
  }
}

const changedMeanwhile = () => new AppError("conflict");

/** False for a known row without an entry. Whether shoppers see the row stays as it is. */
async function changeEntry(
  prisma: TransactionPrisma,
  was: Named,
  seen: z.output<typeof SavedCookie>["seen"],
  data: Named & Required<Omit<Values, "is_hidden">>,
): Promise<boolean> {
  const asSeen = seen === undefined ? {} : (seen ?? { purpose: null });
  const { count } = await prisma.cookieEntry.updateMany({ where: { ...was, ...asSeen }, data });
  if (count > 0) return true;
  // A save that was stored and is sent again because its answer was lost is no conflict.
  if ((await prisma.cookieEntry.count({ where: { AND: [was, data] } })) > 0) return true;
  const isThere = (await prisma.cookieEntry.count({ where: was })) > 0;
  if (!isThere && !isKnownCookie(was)) throw new AppError("not_found");
  if (isThere || seen) throw changedMeanwhile();
  return false;
}

/** Throws `not_found`. */
export async function hideCookie(
  ctx: Ctx,
  tenant: Tenant,
  { provider, name, is_hidden: isHidden }: z.output<typeof HiddenCookie>,
): Promise<void> {
  const row = { provider, name };
  await dataOf(ctx, tenant).transaction(async (_, prisma) => {
    await requireRow(prisma, row);
    await put(tenant, prisma, row, { is_hidden: isHidden });
    // A known row that is shown again as it is needs no entry.
    await prisma.cookieEntry.deleteMany({ where: { ...row, is_hidden: false, purpose: null } });
  });
}

/** Takes a merchant's row away; a known one is as it was without the merchant. Safe to repeat. */
export async function resetCookie(ctx: Ctx, tenant: Tenant, row: Named): Promise<void> {
  await dataOf(ctx, tenant).prisma.cookieEntry.deleteMany({ where: row });
}

type Values = { is_hidden?: boolean; purpose?: string; use?: string; duration?: string };

async function put(
  { shop }: Tenant,
  prisma: TransactionPrisma,
  row: Named,
  values: Values,
): Promise<void> {
  await prisma.cookieEntry.upsert({
    where: { shop_provider_name: { shop, ...row } },
    create: { shop, ...row, ...values },
    update: values,
  });
}

/** A row that is neither known nor the merchant's was deleted meanwhile. */
async function requireRow(prisma: TransactionPrisma, row: Named): Promise<void> {
  if (isKnownCookie(row)) return;
  if (!(await prisma.cookieEntry.findFirst({ select: { name: true }, where: row })))
    throw new AppError("not_found");
}

async function requireRoom(prisma: TransactionPrisma): Promise<void> {
  if ((await prisma.cookieEntry.count()) >= MAX_ENTRIES)
    throw new AppError("invalid_request", { fields: { name: "too many" } });
}
