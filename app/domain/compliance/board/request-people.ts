// Whose request it is: the account while it has a name, or the identifiers that an unfinished
// request still holds. Of an erased customer only the number of the request is left.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, PrivacyRequest, StorefrontUser } from "../../../db.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import type { Steps } from "../requests/request-steps.ts";
import type { KnownSubject, Subject } from "../subject.ts";

/** `unknown`: no customer of this store was found. `others`: further accounts of the same person. */
export type Owner =
  | { kind: "customer"; name: string; email: string | null; userId: number | null; others: number }
  | { kind: "erased" | "unknown" | "store" };

export type OwnedRow = Columns<PrivacyRequest, "kind" | "state" | "user_ids"> & {
  payload: Record<string, unknown>;
  steps: Steps;
};

type Account = Columns<StorefrontUser, "id" | "full_name" | "email" | "status">;
type Sealed = Partial<{ subject: Subject; known: KnownSubject } & Subject>;

/** The owner of each row; reads the accounts in one statement. */
export async function findOwners(
  ctx: Ctx,
  tenant: Tenant,
  rows: readonly OwnedRow[],
): Promise<Owner[]> {
  const ids = [...new Set(rows.flatMap((row) => row.user_ids))];
  const accounts: Account[] =
    ids.length === 0
      ? []
      : await dataOf(ctx, tenant).prisma.storefrontUser.findMany({
          select: { id: true, full_name: true, email: true, status: true },
          where: { id: { in: ids } },
        });
  const byId = new Map(accounts.map((account) => [account.id, account]));
  return rows.map((row) => ownerOf(ctx, tenant, row, byId));
}

function ownerOf(
  ctx: Ctx,
  tenant: Tenant,
  row: OwnedRow,
  accounts: ReadonlyMap<number, Account>,
): Owner {
  if (row.kind === "shop_redact") return { kind: "store" };
  const named = row.user_ids.flatMap((id) => {
    const account = accounts.get(id);
    return account && (account.full_name ?? account.email) ? [account] : [];
  });
  const [first] = named;
  if (first)
    return {
      kind: "customer",
      name: first.full_name ?? first.email ?? "",
      email: first.email,
      userId: first.id,
      others: named.length - 1,
    };
  const identifiers = identifiersOf(ctx, tenant, row.payload);
  if (identifiers) return { kind: "customer", ...identifiers, userId: null, others: 0 };
  return { kind: row.user_ids.length > 0 || hasErased(row) ? "erased" : "unknown" };
}

/**
 * Also of a person without an account, whose events were here. The profile platform is asked to erase each
 * address, and does not say whether it knew it. An old erasure has no recorded steps.
 */
function hasErased({ kind, steps }: OwnedRow): boolean {
  const { profile_platform: _, ...ours } = steps;
  const recorded = Object.values(ours);
  return recorded.length === 0
    ? kind === "customer_redact"
    : recorded.some(({ outcome }) => outcome === "erased");
}

/** What the sealed payload of an unfinished request names the person by; null when it is empty. */
export function identifiersOf(
  ctx: Ctx,
  tenant: Tenant,
  { sealed }: Record<string, unknown>,
): { name: string; email: string | null } | null {
  if (typeof sealed !== "string") return null;
  const opened = JSON.parse(ctx.secrets.unseal(`${tenant.shop}/privacy`, sealed)) as Sealed;
  const subject = opened.subject ?? opened;
  const email = opened.known?.emails[0] ?? subject.email ?? null;
  const gid = opened.known?.gids[0] ?? subject.gid;
  const name = opened.known?.names[0] ?? email ?? subject.phone ?? gid?.replace(/^.*\//, "#");
  return name === undefined ? null : { name, email };
}
