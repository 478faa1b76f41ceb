// Negotiation between a store and an agent's platform (ucp.dev "Overview", Negotiation). The
// platform names its profile in each call; it is fetched once an hour, failures once a minute, and
// counted against the client address.
import { hash } from "node:crypto";
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { fetchAgentProfile } from "../../../integrations/agent-profiles.ts";
import { AppError } from "../../../runtime/errors.ts";
import { findKey, putKey } from "../../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../../runtime/database/kv-keys.ts";
import { findAddressProblem } from "../../../runtime/tenant-address.ts";
import { consumeRateLimit } from "../../identity/rate-limits.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import type { UcpTerms } from "./envelope.ts";
import { ucpCapabilities, UCP_VERSIONS } from "./profile.ts";

const Versioned = z.array(z.looseObject({ version: z.string() }));
const Profile = z.looseObject({
  ucp: z.looseObject({
    version: z.iso.date(),
    capabilities: z.record(z.string(), Versioned).optional(),
  }),
});

/** Capability to the versions of it that the platform and we support. */
type Platform = { version: string; capabilities: Record<string, string[]> };
type Kept = { platform: Platform } | { problem: "profile_unreachable" | "profile_malformed" };

// The two profiles of UCP's reference client, as published at these addresses, which contain their
// version: they need not be fetched.
const REFERENCE =
  /^https:\/\/shopify\.dev\/ucp\/agent-profiles\/(\d{4}-\d{2}-\d{2})\/valid-with-capabilities\.json$/;
const REFERENCE_CAPABILITIES = [
  "checkout",
  "fulfillment",
  "buyer_consent",
  "discount",
  "cart",
  "order",
  "catalog.search",
  "catalog.lookup",
].map((name) => `dev.ucp.shopping.${name}`);

/** The newest version with all of the store's capabilities: for callers without a profile. */
export const defaultTerms = (tenant: Tenant): UcpTerms => ({
  version: UCP_VERSIONS[0],
  capabilities: Object.keys(ucpCapabilities(tenant, UCP_VERSIONS[0])),
});

/**
 * Throws `invalid_profile_url`, `profile_unreachable`, `profile_malformed` or `version_unsupported`.
 * `address` is the client address.
 */
export async function negotiate(
  ctx: Ctx,
  tenant: Tenant,
  profileUrl: string,
  address: string,
): Promise<UcpTerms> {
  const platform =
    knownPlatform(profileUrl) ?? (await readPlatform(ctx, tenant, profileUrl, address));
  const version = UCP_VERSIONS.find((one) => one === platform.version);
  if (!version)
    throw new AppError("version_unsupported", {
      message: `UCP ${platform.version} is not spoken here. This store speaks ${UCP_VERSIONS.join(" and ")}.`,
    });
  const ours = Object.keys(ucpCapabilities(tenant, version));
  return {
    version,
    capabilities: ours.filter((name) => platform.capabilities[name]?.includes(version)),
  };
}

function knownPlatform(url: string): Platform | null {
  const version = REFERENCE.exec(url)?.[1];
  const isKnown = version !== undefined && UCP_VERSIONS.some((one) => one === version);
  return isKnown
    ? {
        version,
        capabilities: Object.fromEntries(REFERENCE_CAPABILITIES.map((name) => [name, [version]])),
      }
    : null;
}

async function readPlatform(
  ctx: Ctx,
  tenant: Tenant,
  profileUrl: string,
  address: string,
): Promise<Platform> {
  const url = URL.parse(profileUrl);
  const isPlain =
    url &&
    profileUrl.length <= 2_000 &&
    /^https?:$/.test(url.protocol) &&
    !url.username &&
    !url.password &&
    !url.hash;
  if (!isPlain || findAddressProblem(url.href, await ctx.addressRules()) !== undefined)
    throw new AppError("invalid_profile_url");
  const { sql } = dataOf(ctx, tenant);
  const key = KEYS.agentProfile(hash("sha256", url.href));
  const known = await findKey<Kept>(sql, key);
  if (known) return unwrap(known.value);
  await consumeRateLimit(ctx, tenant, { agent_document_per_address: address });
  const kept = toKept(await fetchAgentProfile(ctx.outbound, url.href));
  await putKey(
    sql,
    key,
    kept,
    "platform" in kept ? TTL_SECONDS.agentProfile : TTL_SECONDS.unreadableAgentProfile,
  );
  return unwrap(kept);
}

function toKept(answer: Awaited<ReturnType<typeof fetchAgentProfile>>): Kept {
  if (answer.outcome === "unreachable") return { problem: "profile_unreachable" };
  const profile = answer.outcome === "read" ? Profile.safeParse(answer.document) : null;
  if (!profile?.success) return { problem: "profile_malformed" };
  const { version, capabilities = {} } = profile.data.ucp;
  const spoken = Object.entries(capabilities)
    .map(([name, entries]) => [name, spokenVersions(entries)] as const)
    .filter(([name, versions]) => NAME.test(name) && versions.length > 0);
  return {
    platform: { version, capabilities: Object.fromEntries(spoken.slice(0, MAX_CAPABILITIES)) },
  };
}

/** A name that can be stored; a profile may contain anything. */
const NAME = /^[\w.-]{1,100}$/;
const MAX_CAPABILITIES = 200;

const spokenVersions = (entries: z.output<typeof Versioned>): string[] =>
  UCP_VERSIONS.filter((one) => entries.some((entry) => entry.version === one));

function unwrap(kept: Kept): Platform {
  if ("problem" in kept) throw new AppError(kept.problem);
  return kept.platform;
}
