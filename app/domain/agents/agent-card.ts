// The agent card (SPEC "Embeds and discovery"): SPEC's fields unchanged, beside those of A2A 0.3
// and 1.0. A client that sends `A2A-Version: 1.0` gets exactly that version's fields, because its
// schema is closed.
import type { Tenant } from "../tenants/tenant.ts";
import { addressOf, type PublicAddress } from "./public-address.ts";
import { OPEN_SKILLS, SKILLS } from "./skills.ts";
import { ucpCapabilities, UCP_VERSIONS } from "./ucp/profile.ts";

const JSON_MODES = ["application/json", "text/plain"];

/**
 * `protocol` is the version the client requested: `1.0` is answered strictly, anything else with
 * all versions in one.
 */
export function buildAgentCard(
  tenant: Tenant,
  address: PublicAddress,
  protocol: string | undefined,
): object {
  const url = addressOf(address, "/a2a");
  const brand = tenant.config.brand_name ?? tenant.shop;
  const metadata = addressOf(address, "/.well-known/oauth-authorization-server");
  const [ucpVersion] = UCP_VERSIONS;
  const extension = {
    uri: `https://ucp.dev/${ucpVersion}/specification/reference`,
    description: "Speaks UCP in data parts.",
    required: false,
    params: { capabilities: ucpCapabilities(tenant, ucpVersion) },
  };
  const shared = {
    name: `${brand} store agent`,
    description: `Identity, consent, catalog and checkout of ${brand} for agents that act for its shoppers. Catalog and carts are open; what is a shopper's needs a bearer token.`,
    version: "1.0",
    provider: { organization: brand, url: `https://${tenant.shop}` },
    defaultInputModes: JSON_MODES,
    defaultOutputModes: JSON_MODES,
  };
  const skills = SKILLS.map(({ id, name, description, tags }) => ({ id, name, description, tags }));
  const strict = {
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  };
  const scheme = { description: `An access token of ${metadata}`, scheme: "bearer" };
  // One of the list has to be met, and an empty one always is: what a skill needs stands at the skill.
  const bearer = { schemes: { bearer: { list: [] } } };
  const requirement = { securityRequirements: [{ schemes: {} }, bearer] };
  const needsShopper = (id: string) => !OPEN_SKILLS.includes(id);
  const strictSkills = skills.map((skill) => ({
    ...skill,
    ...(needsShopper(skill.id) && { securityRequirements: [bearer] }),
  }));
  if (/^1\.0(\.|$)/.test(protocol ?? ""))
    return {
      ...shared,
      skills: strictSkills,
      ...strict,
      capabilities: {
        streaming: false,
        pushNotifications: false,
        extendedAgentCard: false,
        extensions: [extension],
      },
      securitySchemes: { bearer: { httpAuthSecurityScheme: scheme } },
      ...requirement,
    };
  return {
    ...shared,
    skills: strictSkills.map((skill) => ({
      ...skill,
      ...(needsShopper(skill.id) && { security: [{ bearer: [] }] }),
    })),
    protocol_version: "0.1",
    authentication: {
      schemes: ["bearer"],
      credentials: `A bearer token that the shopper gave: an access token of ${metadata}`,
    },
    protocolVersion: "0.3.0",
    url,
    preferredTransport: "JSONRPC",
    supportsAuthenticatedExtendedCard: false,
    security: [{}, { bearer: [] }],
    supportedInterfaces: [
      ...strict.supportedInterfaces,
      { url, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
    ],
    capabilities: {
      streaming: false,
      pushNotifications: false,
      stateTransitionHistory: true,
      extensions: [extension],
    },
    securitySchemes: { bearer: { type: "http", ...scheme, httpAuthSecurityScheme: scheme } },
    ...requirement,
  };
}
