// The customer-profile platform (Adobe Experience Platform streaming ingestion, XDM `identityMap`).
import type { Outbound, OutboundAnswer } from "../runtime/outbound.ts";

export type ProfileRecord = {
  _id: string;
  timestamp: string;
  identityMap: Record<
    string,
    { id: string; primary: boolean; authenticatedState: "ambiguous" | "authenticated" }[]
  >;
  consents: { collect: { val: "y" | "n" }; marketing: { email: { val: "y" | "n" } } };
};

type Access = { url: string; token?: string | undefined; about?: Record<string, unknown> };

/** The namespace of lower-cased e-mail addresses, hashed. */
export const HASHED_EMAIL = "Email_LC_SHA256";

export type ProfilePlatformClient = {
  ingest(access: Access, record: ProfileRecord): Promise<OutboundAnswer>;
  /** Asks for the deletion of the profile with this identity. The platform does it later and answers a job. */
  erase(access: Access, identity: { namespace: string; id: string }): Promise<OutboundAnswer>;
};

const SCHEMA = {
  id: "https://ns.adobe.com/xdm/context/profile",
  contentType: "application/vnd.adobe.xed-full+json;version=1",
};

export function createProfilePlatformClient({
  outbound,
}: {
  outbound: Outbound;
}): ProfilePlatformClient {
  return {
    ingest: ({ url, token, about }, record) =>
      outbound.call({
        system: "profile_platform",
        url,
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          ...(token && { Authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({
          header: { schemaRef: SCHEMA, source: { name: "customer-identity-service" } },
          body: { xdmMeta: { schemaRef: SCHEMA }, xdmEntity: record },
        }),
        isTenantAddress: true,
        ...(about && { about }),
      }),
    erase: ({ url, token, about }, { namespace, id }) =>
      outbound.call({
        system: "profile_platform",
        url,
        method: "DELETE",
        headers: {
          "Content-Type": "application/json",
          ...(token && { Authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({
          schema: { name: "_xdm.context.profile" },
          entityId: id,
          entityIdNS: namespace,
        }),
        isTenantAddress: true,
        ...(about && { about }),
      }),
  };
}
