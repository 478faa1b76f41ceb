// The work on a store's banner:
//
//   draft --publish--> version 1, 2, 3 ...   restore: a copy of an earlier version is published anew
//
// A save names the fields it changes and the revision it was made from. Two people who change different fields
// both keep their work; the later save of one field is rejected, and keeps its input in the form.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { type BannerDraft, type TransactionPrisma } from "../../../db.server.ts";
import { retryOnConflict } from "../../../runtime/database/retry-on-conflict.ts";
import { AppError } from "../../../runtime/errors.ts";
import { requestLoaderMetafield } from "../storefront/loader-worker.ts";
import { dataOf, type Tenant } from "../tenant.ts";
import { BannerDesign, DEFAULT_DESIGN } from "./banner-design.ts";
import { BANNER_LANGUAGES } from "./banner-texts.ts";
import { nameNewestBanner } from "./published-banner.ts";

const MAX_LISTED = 50;
const TEXTS = "texts.";

/** A field's name, where the texts of each language are a field of their own: `radius`, `texts.de`. */
export type BannerFields = Record<string, unknown>;
type Revisions = Record<string, number>;

const Revision = z.int().min(0);
export const DraftChange = z.object({
  /** The revision of the draft that was shown. */
  revision: Revision,
  /** Field by field; `null` for a language: its shipped texts. */
  changes: z.record(z.string().max(40), z.unknown()),
});
export const DraftRevision = z.object({ revision: Revision });
export const BannerVersionNumber = z.object({ version: z.int().min(1) });

/** `at`: ISO 8601. `by`: the number of the admin's user. */
export type ListedBanner = {
  version: number;
  at: string;
  by: string | null;
  restoredFrom: number | null;
};
type BannerDraftView = {
  fields: BannerFields;
  /** 0 before the first save. */
  revision: number;
  at: string | null;
  by: string | null;
};
export type BannerWork = {
  draft: BannerDraftView;
  /** 0: the store published none. */
  published: number;
  isChanged: boolean;
  /** Newest first. */
  versions: ListedBanner[];
};

export async function readBannerWork(ctx: Ctx, tenant: Tenant): Promise<BannerWork> {
  const { prisma } = dataOf(ctx, tenant);
  const [draft, versions] = await Promise.all([
    prisma.bannerDraft.findFirst(),
    prisma.bannerVersion.findMany({
      orderBy: { version: "desc" },
      take: MAX_LISTED,
    }),
  ]);
  const published = storedDesign(versions[0]?.design);
  const design = draft ? storedDesign(draft.design) : published;
  return {
    draft: {
      fields: toFields(design),
      revision: draft?.revision ?? 0,
      at: draft?.updated_at.toISOString() ?? null,
      by: draft?.updated_by ?? null,
    },
    published: versions[0]?.version ?? 0,
    isChanged: changedFields(design, published).length > 0,
    versions: versions.map((row) => ({
      version: row.version,
      at: row.published_at.toISOString(),
      by: row.published_by,
      restoredFrom: row.restored_from,
    })),
  };
}

/** A design that the rules of today refuse is not shown: they may have become stricter. */
const storedDesign = (stored: unknown): BannerDesign =>
  BannerDesign.safeParse(stored).data ?? DEFAULT_DESIGN;

function toFields({ texts, ...rest }: BannerDesign): BannerFields {
  const own = Object.entries(texts).filter(([, of]) => of && Object.keys(of).length > 0);
  return { ...rest, ...Object.fromEntries(own.map(([lang, of]) => [TEXTS + lang, of])) };
}

/** `problems`: a field's name to what is wrong with it, such as `radius` or `texts.de.refuse`. */
export function readDesign(
  fields: BannerFields,
): { design: BannerDesign } | { design: null; problems: Record<string, string> } {
  const names = Object.keys(fields);
  const design = names
    .filter((name) => !name.startsWith(TEXTS))
    .map((name) => [name, fields[name]]);
  const texts = names
    .filter((name) => name.startsWith(TEXTS) && fields[name] !== null)
    .map((name) => [name.slice(TEXTS.length), fields[name]]);
  const parsed = BannerDesign.safeParse({
    ...Object.fromEntries(design),
    texts: Object.fromEntries(texts) as unknown,
  });
  if (parsed.success) return { design: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) => [
    path.slice(0, path[0] === "texts" ? 3 : 1).join(".") || "design",
    message,
  ]);
  return { design: null, problems: Object.fromEntries(problems) as Record<string, string> };
}

/** Throws `invalid_request` with the field names when the result is no valid design. */
function toDesign(fields: BannerFields): BannerDesign {
  const read = readDesign(fields);
  if (read.design) return read.design;
  throw new AppError("invalid_request", {
    message: "The banner has values that it cannot have.",
    fields: read.problems,
  });
}

/** The draft with the changes applied, without saving it. */
function applyChanges(design: BannerDesign, changes: BannerFields): BannerDesign {
  const known = new Set([
    ...Object.keys(toFields(DEFAULT_DESIGN)),
    ...BANNER_LANGUAGES.map((lang) => TEXTS + lang),
  ]);
  const unknown = Object.keys(changes).filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new AppError("invalid_request", {
      fields: Object.fromEntries(unknown.map((name) => [name, "is not a setting of the banner"])),
    });
  return toDesign({ ...toFields(design), ...changes });
}

function changedFields(one: BannerDesign, other: BannerDesign): string[] {
  const [a, b] = [toFields(one), toFields(other)];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
    (name) => canonical(a[name]) !== canonical(b[name]),
  );
}

/** Independent of the order of properties, which the database changes. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([x], [y]) => (x < y ? -1 : 1)))
      : inner,
  ) ?? "";

/**
 * Saves the changes. Throws `conflict` with the fields that were saved by somebody else after `revision`, and
 * `invalid_request` for a design that breaks a rule.
 */
export async function saveBannerDraft(
  ctx: Ctx,
  tenant: Tenant,
  { revision, changes }: z.output<typeof DraftChange>,
  staffId: string | null,
): Promise<{ revision: number }> {
  return retryOnConflict(() =>
    dataOf(ctx, tenant).transaction(async (_, prisma) => {
      const draft = await lockDraft(prisma);
      const revisions = (draft?.field_revisions ?? {}) as Revisions;
      const names = Object.keys(changes);
      requireUnchanged(names, revisions, revision);
      const before = draft ? storedDesign(draft.design) : await publishedDesign(prisma);
      const design = applyChanges(before, changes);
      const next = (draft?.revision ?? 0) + 1;
      const data = {
        design,
        revision: next,
        field_revisions: {
          ...revisions,
          ...Object.fromEntries(names.map((name) => [name, next])),
        },
        updated_by: staffId,
        updated_at: ctx.clock.now(),
      };
      if (draft) await prisma.bannerDraft.updateMany({ data });
      else await prisma.bannerDraft.create({ data: { ...data, shop: tenant.shop } });
      return { revision: next };
    }),
  );
}

/** Throws `conflict` with the fields that were saved after `revision`. */
function requireUnchanged(names: readonly string[], revisions: Revisions, revision: number): void {
  const theirs = names.filter((name) => (revisions[name] ?? 0) > revision);
  if (theirs.length > 0)
    throw changedMeanwhile(
      Object.fromEntries(theirs.map((name) => [name, "was changed meanwhile"])),
    );
}

/** The update locks the row until the transaction ends: saves and publications wait for each other. */
async function lockDraft(prisma: TransactionPrisma): Promise<BannerDraft | null> {
  await prisma.bannerDraft.updateMany({ data: { revision: { increment: 0 } } });
  return prisma.bannerDraft.findFirst();
}

/** Its fields count as changed now, so that a save made from an earlier draft is rejected. */
async function replaceDraft(
  ctx: Ctx,
  prisma: TransactionPrisma,
  draft: BannerDraft,
  design: BannerDesign,
  staffId: string | null,
): Promise<void> {
  const revision = draft.revision + 1;
  const changed = changedFields(storedDesign(draft.design), design);
  await prisma.bannerDraft.updateMany({
    data: {
      design,
      revision,
      field_revisions: {
        ...(draft.field_revisions as Revisions),
        ...Object.fromEntries(changed.map((name) => [name, revision])),
      },
      updated_by: staffId,
      updated_at: ctx.clock.now(),
    },
  });
}

async function publishedDesign(prisma: TransactionPrisma): Promise<BannerDesign> {
  const row = await prisma.bannerVersion.findFirst({ orderBy: { version: "desc" } });
  return storedDesign(row?.design);
}

/** Publishes the draft as it was shown. Throws `conflict` when it was saved since. */
export async function publishBanner(
  ctx: Ctx,
  tenant: Tenant,
  { revision }: z.output<typeof DraftRevision>,
  staffId: string | null,
): Promise<{ version: number }> {
  return publish(ctx, tenant, staffId, async (prisma) => {
    const draft = await lockDraft(prisma);
    if ((draft?.revision ?? 0) !== revision) throw changedMeanwhile();
    return { design: draft ? storedDesign(draft.design) : DEFAULT_DESIGN, restoredFrom: null };
  });
}

/**
 * Publishes a copy of an earlier version. The draft follows unless it has changes of its own. Throws
 * `not_found`.
 */
export async function restoreBanner(
  ctx: Ctx,
  tenant: Tenant,
  { version }: z.output<typeof BannerVersionNumber>,
  staffId: string | null,
): Promise<{ version: number }> {
  return publish(ctx, tenant, staffId, async (prisma) => {
    const draft = await lockDraft(prisma);
    const earlier = await prisma.bannerVersion.findFirst({ where: { version } });
    if (!earlier) throw new AppError("not_found");
    const design = storedDesign(earlier.design);
    if (
      draft &&
      changedFields(storedDesign(draft.design), await publishedDesign(prisma)).length === 0
    )
      await replaceDraft(ctx, prisma, draft, design, staffId);
    return { design, restoredFrom: version };
  });
}

async function publish(
  ctx: Ctx,
  tenant: Tenant,
  staffId: string | null,
  choose: (
    prisma: TransactionPrisma,
  ) => Promise<{ design: BannerDesign; restoredFrom: number | null }>,
): Promise<{ version: number }> {
  const { shop } = tenant;
  // Two publications at once take one number: the later one takes the next when it is repeated.
  const version = await retryOnConflict(() =>
    dataOf(ctx, tenant).transaction(async (_, prisma) => {
      const { design, restoredFrom } = await choose(prisma);
      const newest = await prisma.bannerVersion.findFirst({ orderBy: { version: "desc" } });
      const next = (newest?.version ?? 0) + 1;
      await prisma.bannerVersion.create({
        data: {
          shop,
          version: next,
          design,
          restored_from: restoredFrom,
          published_by: staffId,
          published_at: ctx.clock.now(),
        },
      });
      return next;
    }),
  );
  await nameNewestBanner(ctx, shop);
  await requestLoaderMetafield(ctx, shop);
  ctx.log.info("banner.published", { shop, version, staff_id: staffId });
  return { version };
}

/** The draft becomes what is published. Throws `conflict` when it was saved since it was shown. */
export async function discardBannerDraft(
  ctx: Ctx,
  tenant: Tenant,
  { revision }: z.output<typeof DraftRevision>,
  staffId: string | null,
): Promise<void> {
  await dataOf(ctx, tenant).transaction(async (_, prisma) => {
    const draft = await lockDraft(prisma);
    if ((draft?.revision ?? 0) !== revision) throw changedMeanwhile();
    if (draft) await replaceDraft(ctx, prisma, draft, await publishedDesign(prisma), staffId);
  });
}

const changedMeanwhile = (fields?: Record<string, string>) =>
  new AppError("conflict", {
    message: "Somebody else changed this banner meanwhile.",
    ...(fields && { fields }),
  });
