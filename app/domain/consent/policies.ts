// Policies by version: the text a person consented to, stored as the SHA-256 of its exact bytes.
import { hash } from "node:crypto";
import { z } from "zod";
import type { Columns, ConsentPolicy, TenantData, TenantSql } from "../../db.server.ts";

/** PostgreSQL stores no NUL character. */
const withoutNul = (value: string) => !value.includes("\0");

export const PolicyInput = z.object({
  version: z.string().min(1).max(80).refine(withoutNul),
  locale: z
    .string()
    .regex(/^[a-z]{2}(-[A-Za-z]{2,4})?$/)
    .default("en"),
  body: z.string().min(1).max(500_000).refine(withoutNul),
});

/**
 * A version's text never changes: repeating the same text is safe, another text is a conflict
 * (`false`).
 */
export async function publishPolicy(
  { shop, prisma }: TenantData,
  policy: z.output<typeof PolicyInput>,
): Promise<{ sha256: string; isStored: boolean }> {
  const sha256 = hash("sha256", policy.body);
  const { version, locale, body } = policy;
  await prisma.consentPolicy.createMany({
    data: { shop, version, locale, sha256, body },
    skipDuplicates: true,
  });
  const stored = await prisma.consentPolicy.findUnique({
    select: { sha256: true },
    where: { shop_version_locale: { shop, version, locale } },
  });
  return { sha256, isStored: stored?.sha256 === sha256 };
}

export type ListedPolicy = {
  version: string;
  locale: string;
  sha256: string;
  effective_from: string;
  length: number;
};

/** Merchants have tens of them, not thousands. */
export const MAX_LISTED_POLICIES = 200;

/** The newest first. */
export async function listPolicies(sql: TenantSql): Promise<ListedPolicy[]> {
  type Row = Columns<ConsentPolicy, "version" | "locale" | "sha256" | "effective_from"> & {
    length: number;
  };
  const rows = await sql<Row>(
    `SELECT version, locale, sha256, effective_from, length(body) AS length FROM consent_policies
      WHERE shop = $1 ORDER BY effective_from DESC, version, locale LIMIT ${MAX_LISTED_POLICIES}`,
  );
  return rows.map((row) => ({ ...row, effective_from: row.effective_from.toISOString() }));
}

export type StoredPolicy = Omit<ListedPolicy, "length"> & { body: string };

/** One version in one language, with its text; null when there is none. */
export async function findPolicy(
  { prisma }: Pick<TenantData, "prisma">,
  version: string,
  locale: string,
): Promise<StoredPolicy | null> {
  const policy = await prisma.consentPolicy.findFirst({ where: { version, locale } });
  if (!policy) return null;
  const { sha256, body, effective_from: since } = policy;
  return { version, locale, sha256, body, effective_from: since.toISOString() };
}

export async function findPolicyHash(
  sql: TenantSql,
  version: string | null,
  locale: string,
): Promise<string | null> {
  if (version === null) return null;
  const [row] = await sql<Columns<ConsentPolicy, "sha256">>(
    "SELECT sha256 FROM consent_policies WHERE shop = $1 AND version = $2 ORDER BY (locale = $3) DESC LIMIT 1",
    [version, locale],
  );
  return row?.sha256 ?? null;
}
