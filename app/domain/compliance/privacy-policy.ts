// What the public privacy page shows: the inventory with the periods of one store, or the default
// ones. Of a store it names only what its public pages show anyway.
import type { Ctx } from "../../context.server.ts";
import { dataSet, dataSetNames, type DataSetName } from "../inventory/data-sets.ts";
import type { Aged, DataSet, End, People } from "../inventory/data-set.ts";
import { daysOf, DEFAULT_RETENTION, type RetentionDays } from "../inventory/retention-settings.ts";
import { readAtHome } from "../tenants/read-at-home.ts";
import { readPlatformConfig } from "../tenants/settings/configuration.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { retentionOf } from "./retention/apply-retention.ts";

export type PrivacyPolicy = {
  sets: PolicySet[];
  /** Names of the channels that a store can connect. */
  recipients: string[];
  store: { shop: string; name: string; contact: string | null } | null;
  /** The service's own contact address. */
  contact: string | null;
};

export type PolicySet = {
  name: DataSetName;
  people: Exclude<People, "none">[];
  periods: { rows: Aged; days: number }[];
  ends: End[];
};

export async function readPrivacyPolicy(ctx: Ctx, tenant: Tenant | null): Promise<PrivacyPolicy> {
  const days = tenant ? retentionOf(tenant) : DEFAULT_RETENTION;
  return {
    sets: dataSetNames.map((name) => ({ name, ...toPolicySet(dataSet(name), days) })),
    recipients: ctx.channels.map(({ name }) => name),
    store: tenant && {
      shop: tenant.shop,
      name: tenant.config.brand_name ?? tenant.shop,
      contact: tenant.config.support_email ?? null,
    },
    contact: ctx.config.SUPPORT_EMAIL ?? (await findSenderAddress(ctx, tenant)),
  };
}

function toPolicySet(set: DataSet, days: RetentionDays): Omit<PolicySet, "name"> {
  const stored = [...Object.values(set.tables), ...(set.objects ?? [])];
  const personal = stored.filter(({ people }) => !people.includes("none"));
  const rules = [
    ...Object.values(set.tables).flatMap((table) => table.rules ?? []),
    ...(set.objects ?? []).flatMap(({ rule }) => rule ?? []),
  ];
  return {
    people: [...new Set(personal.flatMap(({ people }) => people))].filter(
      (people) => people !== "none",
    ),
    periods: rules.map((rule) => ({
      rows: "rows" in rule ? rule.rows : rule.objects,
      days: daysOf(rule.after, days),
    })),
    ends: [...new Set(personal.flatMap(({ end }) => end ?? []))],
  };
}

/** The address of `Display Name <address>`. None while home is away: the deployed one may have been replaced. */
async function findSenderAddress(ctx: Ctx, tenant: Tenant | null): Promise<string | null> {
  const reading = readPlatformConfig(ctx);
  const platform = await (tenant ? readAtHome(tenant, reading) : reading);
  const sender = platform && (platform.email_from ?? ctx.config.EMAIL_FROM);
  return /<([^<>]+)>$/.exec(sender ?? "")?.[1] ?? null;
}
