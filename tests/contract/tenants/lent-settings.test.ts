// The service shares groups of settings with its stores completely or not at all: no credential of the
// service is sent to an address, or used with a sender, that a store chose.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LENT_GROUPS } from "../../../app/domain/tenants/settings/lent-settings.ts";
import { PLATFORM_FIELDS } from "../../../app/domain/tenants/settings/platform-config.ts";
import {
  TENANT_FIELDS,
  tenantField,
  type TenantFieldName,
} from "../../../app/domain/tenants/tenant-config.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import {
  begin,
  followCallback,
  errorOf,
  putPerson,
  sessionOf,
  signInAs,
} from "../../support/browser/sign-in-journey.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";
import { newEmail, signUp } from "../identity/people.ts";

const DEPLOYED = "deployed-store.myshopify.com";
const PLATFORM_ERP_TOKEN = "platform-erp-token-0123456789";
const SERVICE_SENDER = "Service <no-reply@service.example>";
const SERVICE_MAIL_KEY = "service-mail-key-0123456789";
let service: Service;

/** A store's own identity provider on loopback; it records everything it receives. */
type Provider = { issuer: string; received: string[]; server: Server };
let provider: Provider;

async function startProvider(): Promise<Provider> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      received.push(`${request.url} ${request.headers.authorization ?? ""} ${body}`);
      const { issuer } = provider;
      response.writeHead(200, { "Content-Type": "application/json" }).end(
        JSON.stringify({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
        }),
      );
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    server,
  };
}

beforeAll(async () => {
  provider = await startProvider();
  service = await startService({
    background: true,
    envFrom: (sandbox) => ({
      STOREFRONT_STORE_DOMAIN: DEPLOYED,
      FEDERATED_CLIENT_ID: sandbox.federated.clientId,
      FEDERATED_CLIENT_SECRET: sandbox.federated.clientSecret,
      ANALYTICS_MEASUREMENT_ID: "G-DEPLOYED",
      ANALYTICS_API_SECRET: "deployed-analytics-secret",
      STOREFRONT_SHOP_ID: "77",
      ERP_TOKEN: PLATFORM_ERP_TOKEN,
      EMAIL_FROM: SERVICE_SENDER,
      EMAIL_API_KEY: SERVICE_MAIL_KEY,
    }),
  });
});
afterAll(async () => {
  await service.stop();
  provider.server.closeAllConnections();
  await new Promise((closed) => provider.server.close(closed));
});

/** A store with no settings of its own except `fields`. */
async function setStore(fields: Record<string, unknown> = {}, shop = SHOP): Promise<void> {
  const lendable = Object.values(LENT_GROUPS).flatMap((group) => Object.keys(group.fields));
  await service.addTenant(shop, {
    ...Object.fromEntries(lendable.map((name) => [name, null])),
    auth_redirect_origin: "https://shop.example",
    brand_name: null,
    access_role: null,
    ...fields,
  });
}
const configOf = async (shop = SHOP) => (await getTenant(service.ctx, shop)).config;

beforeEach(() => setStore());

describe("the service's identity provider", () => {
  it("serves a store without its own, also when the service has a deployed store", async () => {
    const sub = putPerson(service, "federated", newEmail("lent"));
    expect(sessionOf(await signInAs(service, "federated", sub))).not.toBeNull();
  });

  it("is not used for a store with its own issuer: neither client id nor secret is sent there", async () => {
    await setStore({ federated_issuer: provider.issuer });
    const journey = await service.call("GET", `/auth/federated/login?shop=${SHOP}`, { key: null });
    expect(errorOf(journey)).toBe("not_configured");
    const { federatedClientId, federatedClientSecret } = {
      federatedClientId: service.ctx.config.FEDERATED_CLIENT_ID as string,
      federatedClientSecret: service.ctx.config.FEDERATED_CLIENT_SECRET as string,
    };
    expect(journey.headers.get("location")).not.toContain(federatedClientId);
    expect(provider.received.join("\n")).not.toContain(federatedClientSecret);
  });

  it("shares no secret with a store whose own client is at another issuer, up to the token call", async () => {
    await setStore({ federated_issuer: provider.issuer, federated_client_id: "own-client" });
    const journey = await begin(service, "federated");
    expect(journey.authorize.origin).toBe(provider.issuer);
    const callback = new URL(
      `/auth/federated/callback?${new URLSearchParams({ code: "c", state: journey.state })}`,
      service.url,
    );
    await followCallback(service, callback, journey.cookie);
    const sent = provider.received.join("\n");
    expect(sent).toContain("own-client");
    expect(sent).not.toContain(service.ctx.config.FEDERATED_CLIENT_SECRET as string);
  });

  it("is the default address of a store with its own client there", async () => {
    await setStore({ federated_client_id: "own-client", federated_client_secret: "own-secret" });
    const { authorize } = await begin(service, "federated");
    expect(authorize.searchParams.get("client_id")).toBe("own-client");
    expect(authorize.origin).toBe(new URL(service.ctx.config.FEDERATED_ISSUER).origin);
  });
});

describe("mails with the service's API key", () => {
  const mailFrom = async (fields: Record<string, unknown>): Promise<string> => {
    await setStore(fields);
    const { email } = await signUp(service);
    const asked = await service.call("POST", `/auth/password/forgot?shop=${SHOP}`, {
      body: { email },
      key: null,
    });
    expect(asked.status).toBe(202);
    const [mail] = await eventually("the mail", () => {
      const mails = service.sandbox.email.mailsTo(email);
      return mails.length > 0 && mails;
    });
    return (mail as { from: string }).from;
  };

  it.each<[string, Record<string, unknown>, string]>([
    ["nothing of the store's own", {}, SERVICE_SENDER],
    ["the store's brand", { brand_name: "Kestrel" }, "Kestrel <no-reply@service.example>"],
    [
      "the name of a sender that the store saved, never its address",
      { email_from: "Your Bank <ceo@bank.example>" },
      "Your Bank <no-reply@service.example>",
    ],
    [
      "a name that reads as a second sender",
      { email_from: 'ceo@bank.example, "x" <ceo@bank.example>' },
      "ceo bank.example x <no-reply@service.example>",
    ],
    [
      "a brand with everything that separates addresses",
      { brand_name: 'A <a@b.example>; "B"' },
      "A a b.example B <no-reply@service.example>",
    ],
    [
      "a brand that a mail program decodes to an address",
      { brand_name: "=?utf-8?Q?ceo=40bank.example_=3Cceo=40bank.example=3E?=" },
      "utf-8?Q?ceo=40bank.example_=3Cceo=40bank.example=3E <no-reply@service.example>",
    ],
    [
      "a sender's name that a mail program decodes, with marks hidden between invisible characters",
      { email_from: "==\u200b??=?utf-8?B?Y2VvQGJhbmsuZXhhbXBsZQ==?= <ceo@bank.example>" },
      "== ? ?utf-8?B?Y2VvQGJhbmsuZXhhbXBsZQ= = <no-reply@service.example>",
    ],
    [
      "signs that look like those of an address",
      { brand_name: "Bank \uff1cceo\uff20bank.example\uff1e \ufe64a\ufe6bb.example\ufe65\uff0c x" },
      "Bank ceo bank.example a b.example x <no-reply@service.example>",
    ],
    [
      "a company's sign, which holds brackets when it is spelled out",
      { brand_name: "\u3231Kestrel & Söhne" },
      "\u3231Kestrel & Söhne <no-reply@service.example>",
    ],
  ])("have the service's own sender: with %s", async (_, fields, from) => {
    expect(await mailFrom(fields)).toBe(from);
  });

  it("are not used for a store with its own key: it sends as itself", async () => {
    const from = "Kestrel <hello@kestrel.example>";
    expect(await mailFrom({ email_api_key: "own-key-0123456789", email_from: from })).toBe(from);
  });

  it("never lend the service's sender to a store's own key", async () => {
    await setStore({ email_api_key: "own-key-0123456789" });
    expect((await configOf()).email_from).toBeUndefined();
  });
});

describe("the platform's ERP token", () => {
  const ingest = (token: string, shop = SHOP) =>
    service.call("POST", `/events/ingest?shop=${shop}&source=erpsys`, {
      body: {
        event_type: "invoice.created",
        entity_id: `inv-${Math.random()}`,
        payload: { number: 1 },
      },
      key: token,
    });

  it("authenticates the ingest of a creator store without its own", async () => {
    await setStore({ access_role: "creator" });
    expect((await ingest(PLATFORM_ERP_TOKEN)).status).toBe(202);
    expect((await ingest("another-erp-token-0123456789")).status).toBe(401);
  });

  it("is rejected at a creator store with its own token", async () => {
    await setStore({ access_role: "creator", erp_token: "own-erp-token-0123456789" });
    expect((await ingest(PLATFORM_ERP_TOKEN)).status).toBe(401);
    expect((await ingest("own-erp-token-0123456789")).status).toBe(202);
  });

  it.each(["private", "shared"])("is rejected at a `%s` store", async (access_role) => {
    await setStore({ access_role });
    expect((await ingest(PLATFORM_ERP_TOKEN)).status).toBe(401);
  });

  it("may be saved in the platform's configuration, which overrides the deployed one; one that is too short is rejected", async () => {
    const save = (erp_token: string | null) =>
      service.call("POST", "/platform/config", { body: { erp_token } });
    expect(await save("fifteen-charact")).toMatchObject({
      status: 400,
      json: { fields: { erp_token: expect.any(String) } },
    });
    await setStore({ access_role: "creator" });
    await save("saved-erp-token-0123456789");
    expect((await service.call("GET", "/platform/config")).json.config).toEqual({
      erp_token: "save****6789",
    });
    expect((await ingest("saved-erp-token-0123456789")).status).toBe(202);
    expect((await ingest(PLATFORM_ERP_TOKEN)).status).toBe(401);
    await save(null);
  });
});

describe("the deployed store's settings", () => {
  it("apply to no other store", async () => {
    await service.call("POST", `/config?shop=${DEPLOYED}`, { body: {} });
    expect(await configOf(DEPLOYED)).toMatchObject({
      analytics_measurement_id: "G-DEPLOYED",
      analytics_api_secret: "deployed-analytics-secret",
      storefront_shop_id: "77",
    });
    const { analytics_measurement_id, analytics_api_secret, storefront_shop_id } = await configOf();
    expect([analytics_measurement_id, analytics_api_secret, storefront_shop_id]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("a shared group of settings", () => {
  const groups = Object.entries(LENT_GROUPS).map(
    ([name, group]) => [name, Object.keys(group.fields) as TenantFieldName[]] as const,
  );

  it("contains every field that the platform's configuration and a store's have in common", () => {
    const lendable = new Set(groups.flatMap(([, fields]) => fields));
    const common = Object.keys(PLATFORM_FIELDS).filter((name) =>
      Object.hasOwn(TENANT_FIELDS, name),
    );
    expect(common.filter((name) => !lendable.has(name as TenantFieldName))).toEqual([]);
  });

  it("shares no field with another group", () => {
    const fields = groups.flatMap(([, names]) => names);
    expect(new Set(fields).size).toBe(fields.length);
  });

  const secretsOf = (fields: readonly TenantFieldName[]) =>
    fields.filter((name) => tenantField(name).secret);
  const VALUES: Partial<Record<TenantFieldName, unknown>> = {
    federated_issuer: "https://issuer.own.example",
    erp_base_url: "https://erp.own.example",
    analytics_measurement_id: "G-OWN",
    storefront_token_expires_at: "2027-01-01T00:00:00Z",
  };
  const cases = groups.flatMap(([name, fields]) =>
    secretsOf(fields).length > 0 && fields.length > 1 && name !== "email"
      ? fields.map((own) => [name, own, fields] as const)
      : [],
  );

  it.each(cases)(
    "%s is never shared in part: a store with its own %s gets no secret of it",
    async (_, own, fields) => {
      await service.call("POST", "/platform/config", {
        body: {
          erp_base_url: "https://erp.service.example",
          erp_username: "service-user",
          erp_password: "service-erp-password",
        },
      });
      await service.call("POST", `/config?shop=${DEPLOYED}`, {
        body: {
          ...Object.fromEntries(fields.map((name) => [name, null])),
          access_role: "creator",
          [own]: VALUES[own] ?? "own-value-0123456789",
        },
      });
      const config = await configOf(DEPLOYED);
      for (const secret of secretsOf(fields).filter((name) => name !== own))
        expect([secret, config[secret]]).toEqual([secret, undefined]);
      await service.call("POST", `/config?shop=${DEPLOYED}`, { body: { [own]: null } });
      await service.call("POST", "/platform/config", {
        body: { erp_base_url: null, erp_username: null, erp_password: null },
      });
    },
  );
});
