// Policies by version: what a person was told when the consent was given, kept as the hash of its exact text.
import { hash } from "node:crypto";
import { z } from "zod";
import type { TenantSql } from "../../runtime/database.ts";

export const PolicyInput = z.object({
  version: z.string().min(1).max(80),
  locale: z
    .string()
    .regex(/^[a-z]{2}(-[A-Za-z]{2,4})?$/)
    .default("en"),
  body: z.string().min(1).max(500_000),
});

/** A version's text never changes: the same text again is fine, another text is a conflict (`false`). */
export async function publishPolicy(
  sql: TenantSql,
  policy: z.output<typeof PolicyInput>,
): Promise<{ sha256: string; isStored: boolean }> {
  const sha256 = hash("sha256", policy.body);
  await sql(
    "INSERT INTO consent_policies (shop, version, locale, sha256, body) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (shop, version, locale) DO NOTHING",
    [policy.version, policy.locale, sha256, policy.body],
  );
  const [stored] = await sql<{ sha256: string }>(
    "SELECT sha256 FROM consent_policies WHERE shop = $1 AND version = $2 AND locale = $3",
    [policy.version, policy.locale],
  );
  return { sha256, isStored: stored?.sha256 === sha256 };
}

export type ListedPolicy = {
  version: string;
  locale: string;
  sha256: string;
  effective_from: string;
  length: number;
};

/** Newest first. Merchants have tens of them, not thousands. */
export async function listPolicies(sql: TenantSql): Promise<ListedPolicy[]> {
  const rows = await sql<Omit<ListedPolicy, "effective_from"> & { effective_from: Date }>(
    "SELECT version, locale, sha256, effective_from, length(body) AS length FROM consent_policies WHERE shop = $1 ORDER BY effective_from DESC, version, locale LIMIT 200",
  );
  return rows.map((row) => ({ ...row, effective_from: row.effective_from.toISOString() }));
}

export async function findPolicyHash(
  sql: TenantSql,
  version: string | null,
  locale: string,
): Promise<string | null> {
  if (version === null) return null;
  const [row] = await sql<{ sha256: string }>(
    "SELECT sha256 FROM consent_policies WHERE shop = $1 AND version = $2 ORDER BY (locale = $3) DESC LIMIT 1",
    [version, locale],
  );
  return row?.sha256 ?? null;
}
