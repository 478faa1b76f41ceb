// The customer-profile platform (Adobe Experience Platform streaming ingestion, XDM `identityMap`).
import type { Outbound, OutboundAnswer, OutboundCall } from "../runtime/outbound/outbound.ts";
import { requireNoPage } from "./web-page.ts";

const SYSTEM = "profile_platform";

export type ProfileRecord = {
  _id: string;
  timestamp: string;
  identityMap: Record<
    string,
    { id: string; primary: boolean; authenticatedState: "ambiguous" | "authenticated" }[]
  >;
  /** By namespace and id; the platform's field group "Segment Membership Details". */
  segmentMembership?: Record<
    string,
    Record<string, { lastQualificationTime: string; status: "realized" }>
  >;
  consents: { collect: { val: "y" | "n" }; marketing: { email: { val: "y" | "n" } } };
};

type Access = { url: string; token?: string | undefined; about?: Record<string, unknown> };

/** Identity namespace of SHA-256 hashes of lower-cased email addresses. */
export const HASHED_EMAIL = "Email_LC_SHA256";

/**
 * `url` is the store's streaming inlet; private addresses are refused. Both methods throw an
 * OutboundError of system `profile_platform`: `status`, `timeout` after 15 s, `network`,
 * `refused_address`, or `malformed` for a web page.
 */
export type ProfilePlatformClient = {
  /**
   * POSTs one message as it is (`toProfileMessage`, or a remote backend's own); the platform merges its record by
   * `identityMap`.
   */
  ingest(access: Access, message: Record<string, unknown>): Promise<OutboundAnswer>;
  /**
   * DELETE: requests deletion of the profile with this identity. The platform deletes
   * asynchronously and returns a job.
   */
  erase(access: Access, identity: { namespace: string; id: string }): Promise<OutboundAnswer>;
};

const SCHEMA = {
  id: "https://ns.adobe.com/xdm/context/profile",
  contentType: "application/vnd.adobe.xed-full+json;version=1",
};

export const toProfileMessage = (record: ProfileRecord) => ({
  header: { schemaRef: SCHEMA, source: { name: "customer-identity-service" } },
  body: { xdmMeta: { schemaRef: SCHEMA }, xdmEntity: record },
});

/** The URL and token come with each call: they are the tenant's. */
export function createProfilePlatformClient({
  outbound,
}: {
  outbound: Outbound;
}): ProfilePlatformClient {
  async function send(call: Omit<OutboundCall, "system">): Promise<OutboundAnswer> {
    const answer = await outbound.call({ ...call, system: SYSTEM });
    requireNoPage(SYSTEM, answer);
    return answer;
  }

  return {
    ingest: ({ url, token, about }, message) =>
      send({
        url,
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          ...(token && { Authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(message),
        isTenantAddress: true,
        ...(about && { about }),
      }),
    erase: ({ url, token, about }, { namespace, id }) =>
      send({
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
