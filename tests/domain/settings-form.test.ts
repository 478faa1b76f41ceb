// The settings form is derived from the table of fields, so that none is missing and no secret is
// exposed.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { toDraft, toPatch, toValue } from "../../app/components/settings/fields/field-drafts.ts";
import en from "../../app/locales/en/settings.json" with { type: "json" };
import fr from "../../app/locales/fr/settings.json" with { type: "json" };
import type { SettingsActor } from "../../app/domain/tenants/admin-key.ts";
import { saveTenantConfig } from "../../app/domain/tenants/settings/configuration.ts";
import {
  readSettingsForm,
  savePlatformSettings,
  saveSettings,
} from "../../app/domain/tenants/settings/settings-form.ts";
import { PLATFORM_FIELDS } from "../../app/domain/tenants/settings/platform-config.ts";
import {
  TENANT_FIELDS,
  tenantField,
  tenantFieldNames,
} from "../../app/domain/tenants/tenant-config.ts";
import { changeTenantRecord } from "../../app/domain/tenants/tenant-record.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { startTestApp, type TestApp } from "../support/browser/screens-server.ts";

const SHOP = "form-store.myshopify.com";
const SECRET = "secret-value-0123456789";
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ env: { OUTBOUND_ALLOW: "erp.example.com" } });
});
afterAll(() => app.stop());
beforeEach(() => app.database.truncate());

const read = async (by: SettingsActor = "operator") =>
  (await readSettingsForm(app.ctx, SHOP, { by })).pages.flatMap(({ cards }) => cards);
const fieldsOf = async (by: SettingsActor = "operator") =>
  (await read(by)).flatMap(({ fields }) => fields);
const saved = async () => (await getTenant(app.ctx, SHOP)).saved;
const save = (fields: unknown, by: SettingsActor = "operator") =>
  saveSettings(app.ctx, SHOP, { fields: JSON.stringify(fields) }, { by });
const mapValues = <V>(record: Record<string, V>, map: (value: V) => unknown) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
/** What somebody sends who opened the form now. */
const seenNow = async () =>
  Object.fromEntries((await fieldsOf()).map(({ name, version = "" }) => [name, version]));

test("every field of the table is in the standalone form once, with texts in every language", async () => {
  await saveTenantConfig(app.ctx, SHOP, {}, { by: "operator" });
  expect((await fieldsOf()).map(({ name }) => name).toSorted()).toEqual(
    // The region rules and the scripts that wait have screens of their own inside the store admin only.
    tenantFieldNames
      .filter((name) => name !== "consent_regions" && name !== "script_blocking")
      .toSorted(),
  );
  const names = [...Object.keys(TENANT_FIELDS), ...Object.keys(PLATFORM_FIELDS)];
  expect(Object.keys(fr.fields).toSorted()).toEqual([...new Set(names)].toSorted());
  for (const [name, texts] of Object.entries(fr.fields)) {
    expect([name, texts.label]).not.toEqual([name, ""]);
    expect([name, "help" in texts]).toEqual([
      name,
      "help" in en.fields[name as keyof typeof en.fields],
    ]);
  }
});

test("a refused value has the code by which the form says what is wrong with it, else its reason", async () => {
  await saveTenantConfig(app.ctx, SHOP, {}, { by: "operator" });
  const wrong = {
    admin_key: ["too-short", "atLeast16"],
    alert_emails: [["nobody"], "email"],
    allowed_origins: [["shop"], "url"],
    analytics_measurement_id: ["UA-1", "measurementId"],
    brand_color: ["red", "color"],
    brand_name: ["", "tooShort"],
    cms_site_id: ["x".repeat(201), "tooLong"],
    consent_policy_version: [3, "other"],
    email_from: ["me", "sender"],
    enabled_channels: [["CMS"], "channelName"],
    event_routes: [[{ event_type: "é", channels: ["cms"] }], "wildcards"],
    federated_issuer: ["https://10.0.0.1", "privateAddress"],
    locale: ["de", "other"],
    password_iterations: ["many", "number"],
    brand_corner_radius: [25, "number"],
    public_hosts: [["a b"], "hostName"],
    retail_analytics_a_url: ["ftp://partner.example", "storageAddress"],
    retail_analytics_b_url: ["http://partner.example", "url"],
    storefront_token_expires_at: ["tomorrow", "dateTime"],
  };
  const result = await save(mapValues(wrong, ([value]) => value));
  expect(result).toMatchObject({
    outcome: "refused",
    codes: mapValues(wrong, ([, code]) => code),
  });
  expect(await save({ retail_analytics_a_url: "s3://drops/x" })).toMatchObject({
    codes: { retail_analytics_a_access_key_id: "bucketKey" },
  });
  expect(await savePlatformSettings(app.ctx, '{"archive_url":"ftp://x"}')).toMatchObject({
    codes: { archive_url: "archiveAddress" },
  });
  expect(fr.problems.other).toContain("{{reason}}");
});

test("every secret of the table is masked in the form, saved or inherited, and sending the mask back keeps it", async () => {
  const secrets = tenantFieldNames.filter((name) => tenantField(name).secret);
  await saveTenantConfig(app.ctx, SHOP, Object.fromEntries(secrets.map((name) => [name, SECRET])), {
    by: "operator",
  });
  const form = await read();
  expect(JSON.stringify(form)).not.toContain(SECRET);
  const masked = Object.fromEntries(
    form
      .flatMap(({ fields }) => fields)
      .filter(({ kind }) => kind === "secret")
      .map(({ name, value }) => [name, value]),
  );
  expect(Object.keys(masked).toSorted()).toEqual([...secrets].toSorted());
  expect(await save(masked)).toEqual({ outcome: "saved" });
  for (const name of secrets) expect((await saved())[name]).toBe(SECRET);
});

test("of a secret that the service lends a form says only that there is one", async () => {
  await saveTenantConfig(app.ctx, SHOP, {}, { by: "operator" });
  const { email_api_key: lent } = (await getTenant(app.ctx, SHOP)).config;
  expect(lent).toMatch(/.{8}/);
  const fields = await fieldsOf("store");
  expect(JSON.stringify(fields)).not.toContain(lent);
  expect(fields.find(({ name }) => name === "email_api_key")).toMatchObject({
    value: null,
    fallback: true,
  });
});

test("the address of a signed upload is masked, and the mask of another address is no value", async () => {
  const address = "https://bucket.example/drops";
  await saveTenantConfig(
    app.ctx,
    SHOP,
    { retail_analytics_a_url: `${address}?sig=${SECRET}` },
    { by: "operator" },
  );
  const field = (await fieldsOf()).find(({ name }) => name === "retail_analytics_a_url");
  expect(field?.value).toBe(`${address}?****`);
  expect(await save({ retail_analytics_a_url: field?.value })).toEqual({ outcome: "saved" });
  expect(await save({ retail_analytics_a_url: "https://other.example/?****" })).toMatchObject({
    codes: { retail_analytics_a_url: "maskedValue" },
  });
  expect((await saved()).retail_analytics_a_url).toBe(`${address}?sig=${SECRET}`);
});

test("a token that is saved by hand ends an uninstall, and one that is removed ends what was begun with it", async () => {
  await saveTenantConfig(app.ctx, SHOP, {}, { by: "operator" });
  await changeTenantRecord(app.ctx, SHOP, {
    connection: { uninstalled_at: new Date().toISOString() },
  });
  const put = async (token: string | null) => {
    await saveTenantConfig(app.ctx, SHOP, { storefront_admin_token: token }, { by: "operator" });
    return (await getTenant(app.ctx, SHOP)).connection;
  };
  const given = await put("shpat_0123456789abcdef");
  expect(given.uninstalled_at ?? null).toBeNull();
  expect((await put(null)).token_generation).toBe((given.token_generation ?? 0) + 1);
});

test("a store of the role shared is shown no setting of the ERP or of events, and cannot save one", async () => {
  const config = { access_role: "shared" };
  await saveTenantConfig(app.ctx, SHOP, config, { by: "operator" });
  const names = (await fieldsOf("store")).map(({ name }) => name);
  const closed = ["erp_base_url", "erp_token", "enabled_channels", "event_routes"];
  expect(names.filter((name) => closed.includes(name))).toEqual([]);
  expect(names).toContain("brand_name");
  expect(await save({ enabled_channels: ["cms"] }, "store")).toMatchObject({
    outcome: "refused",
    codes: { enabled_channels: "sharedStore" },
  });
});

test("an unchanged form sends nothing, and an editor sends what it shows", async () => {
  const values = {
    brand_name: "Kestrel",
    public_hosts: ["a.example.com", "b.example.com"],
    erp_defaults: { bukrs: "1000", vkorg: "1010" },
    event_routes: [
      { event_type: "order.*", channels: ["erpsys", "archive"], priority: 1 },
      { event_type: "*", channels: ["archive"] },
    ],
    password_iterations: 120_000,
    require_email_verification: true,
    consent_mode: "advanced",
    self_service_tag_categories: ["tier"],
    erp_base_url: "http://erp.example.com/odata",
    event_bus_phase: 3,
  };
  await saveTenantConfig(app.ctx, SHOP, values, { by: "operator" });
  const fields = await fieldsOf();
  expect(
    toPatch(fields, Object.fromEntries(fields.map((field) => [field.name, toDraft(field)]))),
  ).toEqual({});
  for (const [name, value] of Object.entries(values)) {
    const field = fields.find((one) => one.name === name);
    if (!field) throw new Error(name);
    expect([name, toValue(field, toDraft(field))]).toEqual([name, value]);
  }
  expect(await save(Object.fromEntries(Object.keys(values).map((name) => [name, null])))).toEqual({
    outcome: "saved",
  });
  for (const name of Object.keys(values)) expect(await saved()).not.toHaveProperty(name);
});

test("fields that only the operator may change are read-only for others, and their changes are rejected", async () => {
  await saveTenantConfig(app.ctx, SHOP, {}, { by: "operator" });
  expect(
    (await fieldsOf("store"))
      .filter(({ isReadOnly }) => isReadOnly)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(["access_role", "region", "storefront_store_domain"]);
  expect((await fieldsOf()).filter(({ isReadOnly }) => isReadOnly)).toMatchObject([
    { name: "storefront_store_domain" },
  ]);
  expect(await save({ access_role: "creator" }, "store")).toMatchObject({
    outcome: "refused",
    problems: { access_role: "is set by the platform" },
    codes: { access_role: "byPlatform" },
  });
});

test("a malformed form, an unknown field or one invalid value saves nothing", async () => {
  await saveTenantConfig(app.ctx, SHOP, { brand_name: "Kestrel" }, { by: "operator" });
  for (const posted of ["", "null", "[]", "{", 3, undefined])
    expect(await saveSettings(app.ctx, SHOP, { fields: posted }, { by: "operator" })).toMatchObject(
      {
        outcome: "refused",
      },
    );
  expect(await save({ brand_name: "Changed", nothing_like_it: 1 })).toMatchObject({
    outcome: "refused",
    problems: { nothing_like_it: "is not a known field" },
  });
  expect(await save({ brand_name: "Changed", password_iterations: "many" })).toMatchObject({
    outcome: "refused",
    problems: { password_iterations: expect.any(String) },
  });
  expect((await saved()).brand_name).toBe("Kestrel");
});

test("of two people who change one setting the later is refused and nothing is overwritten; changes of different settings are both kept", async () => {
  await saveTenantConfig(
    app.ctx,
    SHOP,
    { brand_name: "Kestrel", cms_api_token: SECRET },
    { by: "operator" },
  );
  const versions = await seenNow();
  const saveSeen = (fields: object, seen: Record<string, string>) =>
    saveSettings(
      app.ctx,
      SHOP,
      { fields: JSON.stringify(fields), versions: seen },
      { by: "operator" },
    );
  expect(await saveSeen({ brand_name: "First", cms_api_token: "another-token" }, versions)).toEqual(
    {
      outcome: "saved",
    },
  );
  expect(
    await saveSeen({ brand_name: "Second", cms_api_token: null, locale: "fr" }, versions),
  ).toMatchObject({
    outcome: "refused",
    problems: { brand_name: "was changed meanwhile", cms_api_token: "was changed meanwhile" },
  });
  expect(await saved()).toMatchObject({ brand_name: "First", cms_api_token: "another-token" });
  expect(await saved()).not.toHaveProperty("locale");
  expect(await saveSeen({ locale: "fr" }, versions)).toEqual({ outcome: "saved" });
  expect(await saveSeen({ brand_name: "Second" }, await seenNow())).toEqual({ outcome: "saved" });
  expect(await saved()).toMatchObject({ brand_name: "Second", locale: "fr" });
});

test("a save that was stored and is sent again is accepted, also of a secret and of a removal; another value is still refused", async () => {
  await saveTenantConfig(
    app.ctx,
    SHOP,
    { brand_name: "Kestrel", cms_api_token: SECRET, locale: "fr" },
    { by: "operator" },
  );
  const versions = await seenNow();
  const send = (fields: object) =>
    saveSettings(app.ctx, SHOP, { fields: JSON.stringify(fields), versions }, { by: "operator" });
  const change = {
    cms_api_token: "another-token",
    locale: null,
    erp_defaults: { bukrs: "1000", vkorg: "1010" },
  };
  for (const _ of ["stored", "sent again"])
    expect(await send(change)).toEqual({ outcome: "saved" });
  expect(await saved()).toMatchObject({ cms_api_token: "another-token" });
  expect(await send({ ...change, cms_api_token: "third-token" })).toMatchObject({
    outcome: "refused",
    problems: { cms_api_token: "was changed meanwhile" },
    codes: { cms_api_token: "changedMeanwhile" },
  });
});

test("of ten saves of one setting at the same moment exactly one is accepted", async () => {
  await saveTenantConfig(app.ctx, SHOP, { brand_name: "Kestrel" }, { by: "operator" });
  const versions = await seenNow();
  const results = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      saveSettings(
        app.ctx,
        SHOP,
        { fields: JSON.stringify({ brand_name: `Name ${at}` }), versions },
        { by: "operator" },
      ),
    ),
  );
  expect(results.filter(({ outcome }) => outcome === "saved")).toHaveLength(1);
  const winner = results.findIndex(({ outcome }) => outcome === "saved");
  expect((await saved()).brand_name).toBe(`Name ${winner}`);
});

test("a form's versions say nothing about a secret, also not that two stores have the same", async () => {
  const other = "other-form-store.myshopify.com";
  for (const shop of [SHOP, other])
    await saveTenantConfig(app.ctx, shop, { cms_api_token: SECRET }, { by: "operator" });
  const versionIn = async (shop: string) =>
    (await readSettingsForm(app.ctx, shop, { by: "operator" })).pages
      .flatMap(({ cards }) => cards.flatMap(({ fields }) => fields))
      .find(({ name }) => name === "cms_api_token")?.version;
  expect(await versionIn(SHOP)).toMatch(/^[0-9a-f]{16}$/);
  expect(await versionIn(SHOP)).not.toBe(await versionIn(other));
});
