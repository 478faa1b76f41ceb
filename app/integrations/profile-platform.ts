// The customer-profile platform (Adobe Experience Platform streaming ingestion, XDM `identityMap`).
import type { Outbound, OutboundAnswer } from "../runtime/outbound.ts";

export type ProfileRecord = {
  _id: string;
  timestamp: string;
  identityMap: Record<string, { id: string; primary: boolean; authenticatedState: "ambiguous" | "authenticated" }[]>;
  consents: { collect: { val: "y" | "n" }; marketing: { email: { val: "y" | "n" } } };
};

export type ProfilePlatformClient = {
  ingest(access: { url: string; token?: string | undefined; about?: Record<string, unknown> }, record: ProfileRecord): Promise<OutboundAnswer>;
};

const SCHEMA = { id: "https://ns.adobe.com/xdm/context/profile", contentType: "application/vnd.adobe.xed-full+json;version=1" };

export function createProfilePlatformClient({ outbound }: { outbound: Outbound }): ProfilePlatformClient {
  return {
    ingest: ({ url, token, about }, record) =>
      outbound.call({
        system: "profile_platform",
        url,
        method: "POST",
        headers: { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) },
        body: JSON.stringify({ header: { schemaRef: SCHEMA, source: { name: "customer-identity-service" } }, body: { xdmMeta: { schemaRef: SCHEMA }, xdmEntity: record } }),
        isTenantAddress: true,
        ...(about && { about }),
      }),
  };
}
