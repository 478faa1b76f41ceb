// The addresses of other systems that a store saves (POST and GET /config).
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { SHOP, startService, type Answer, type Service } from "../../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());

const save = (body: unknown): Promise<Answer> =>
  service.call("POST", `/config?shop=${SHOP}`, { body });
const show = async (): Promise<Record<string, unknown>> =>
  (await service.call("GET", `/config?shop=${SHOP}`)).json.config;
const stored = async (): Promise<unknown> =>
  (
    await service.database.query("SELECT value FROM kv WHERE shop = $1 AND key = $2", [
      SHOP,
      `tenant:${SHOP}`,
    ])
  )[0]?.value;

describe("an outbound address of a store", () => {
  test.each([
    "http://erp.example/odata",
    "https://localhost/odata",
    "https://localhost./odata",
    "https://10.0.0.8",
    "https://192.168.1.1:8443/x",
    "https://169.254.169.254/latest/meta-data",
    "https://2130706434/",
    "https://0x7f.2/",
    "https://017700000002/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[fd00::1]/",
    "https://0.0.0.0/",
    "http://127.0.0.2/",
    "ftp://erp.example/",
    "not an address",
    "https://",
    "https://?x",
    "https://exa mple.com/",
    "https://example.com:99999/",
    "https://[v1.x]/",
  ])("must be https and public: %s", async (address) => {
    for (const name of [
      "erp_base_url",
      "profile_platform_url",
      "retail_analytics_a_url",
      "retail_analytics_b_url",
      "wms_base_url",
      "federated_issuer",
    ]) {
      const answer = await save({ [name]: address });
      expect([answer.status, Object.keys(answer.json.fields ?? {})]).toEqual([400, [name]]);
    }
  });

  test.each([
    ["erp_base_url", "https://erpuser:SuperSecretPw1@erp.example/odata"],
    ["profile_platform_url", "https://token@profiles.example/"],
    ["retail_analytics_a_url", "s3://AKIA:secret@drops/in"],
    ["retail_analytics_b_url", "https://:secret@retail.example/"],
  ])("must not hold a user name or password: %s", async (name, address) => {
    const answer = await save({ [name]: address });
    expect([answer.status, answer.json.fields]).toEqual([
      400,
      { [name]: "must not hold a user name or password" },
    ]);
  });

  test("may be private when the deployment lists it", async () => {
    expect((await save({ erp_base_url: "http://127.0.0.1:4444/odata" })).status).toBe(200);
  });

  test.each([
    "https://abc.de/odata",
    "https://face.cafe/x",
    "https://8.8.8.8/x",
    "https://[2606:4700::1111]/x",
  ])("may be any public host: %s", async (address) => {
    expect((await save({ erp_base_url: address })).status).toBe(200);
  });

  test("may be pre-signed: what it proves is hidden and sealed, and sent back it stays", async () => {
    const signed = "https://drops.example/in?X-Amz-Credential=AKIA&X-Amz-Signature=abcdef012345";
    const address = async () => (await show()).retail_analytics_a_url;
    await save({ retail_analytics_a_url: signed });
    expect(await address()).toBe("https://drops.example/in?****");
    expect(JSON.stringify(await stored())).not.toMatch(/abcdef012345|drops\.example/);

    expect((await save({ retail_analytics_a_url: await address() })).status).toBe(200);
    const { config } = await getTenant(service.ctx, SHOP);
    expect(config.retail_analytics_a_url).toBe(signed);

    const foreign = await save({ retail_analytics_a_url: "https://another.example/in?****" });
    expect([foreign.status, Object.keys(foreign.json.fields)]).toEqual([
      400,
      ["retail_analytics_a_url"],
    ]);
    await save({ retail_analytics_a_url: "https://drops.example/plain" });
    expect(await address()).toBe("https://drops.example/plain");
    await save({ retail_analytics_a_url: null });
  });
});
