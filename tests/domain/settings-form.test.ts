// The settings form: derived from the table of fields, so that nothing there is missing here, and no secret is.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { toDraft, toPatch, toValue } from "../../app/components/settings/field-drafts.ts";
import {
  FIELD_TEXTS,
  fieldWords,
  problemWords,
} from "../../app/components/settings/field-words.ts";
import { SETTINGS_WORDS } from "../../app/components/settings/settings-words.ts";
import { saveTenantConfig } from "../../app/domain/tenants/configuration.ts";
import { readSettingsForm, saveSettings } from "../../app/domain/tenants/settings-form.ts";
import { PLATFORM_FIELDS } from "../../app/domain/tenants/platform-config.ts";
import {
  TENANT_FIELDS,
  tenantField,
  tenantFieldNames,
} from "../../app/domain/tenants/tenant-config.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { startWorld, type World } from "../support/screens-server.ts";

const SHOP = "form-store.myshopify.com";
const SECRET = "secret-value-0123456789";
let world: World;
beforeAll(async () => {
  world = await startWorld({ env: { OUTBOUND_ALLOW: "erp.example.com" } });
});
afterAll(() => world.stop());
beforeEach(() => world.database.truncate());

const read = async (isPlatform = true) =>
  (await readSettingsForm(world.ctx, SHOP, isPlatform)).sections;
const fieldsOf = async (isPlatform = true) =>
  (await read(isPlatform)).flatMap(({ fields }) => fields);
const saved = async () => (await getTenant(world.ctx, SHOP)).saved;
const save = (fields: unknown, isPlatform = true) =>
  saveSettings(world.ctx, SHOP, JSON.stringify(fields), isPlatform);

test("every field of the table is in the form once, in its section, with words in every language", async () => {
  await saveTenantConfig(world.ctx, SHOP, {}, true);
  const sections = await read();
  expect(sections.flatMap(({ fields }) => fields.map(({ name }) => name)).toSorted()).toEqual(
    [...tenantFieldNames].toSorted(),
  );
  for (const { name, fields } of sections) {
    expect(SETTINGS_WORDS.fr.sections[name].title).toBeTruthy();
    for (const field of fields)
      expect([
        field.name,
        tenantField(field.name as (typeof tenantFieldNames)[number]).section,
      ]).toEqual([field.name, name]);
  }
  const names = [...Object.keys(TENANT_FIELDS), ...Object.keys(PLATFORM_FIELDS)];
  expect(names.filter((name) => !Object.hasOwn(FIELD_TEXTS, name))).toEqual([]);
  expect(Object.keys(FIELD_TEXTS).filter((name) => !names.includes(name))).toEqual([]);
  for (const [name, [, , ...help]] of Object.entries(FIELD_TEXTS))
    expect([name, help.length]).toEqual([name, help.length === 0 ? 0 : 3]);
});

test("a field without words of its own is shown with its label", () => {
  expect(fieldWords("fr", { name: "constructor", label: "New one" })).toEqual({
    label: "New one",
    help: "",
  });
  expect(problemWords("es", "is odd")).toContain("is odd");
});

test("every secret of the table is masked in the form, saved or inherited, and sent back unchanged it stays", async () => {
  const secrets = tenantFieldNames.filter((name) => tenantField(name).secret);
  await saveTenantConfig(
    world.ctx,
    SHOP,
    Object.fromEntries(secrets.map((name) => [name, SECRET])),
    true,
  );
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

test("an untouched form sends nothing, and what an editor shows is what it sends", async () => {
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
  await saveTenantConfig(world.ctx, SHOP, values, true);
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

test("what only the operator may change is closed to others, and refused all the same", async () => {
  await saveTenantConfig(world.ctx, SHOP, {}, true);
  expect(
    (await fieldsOf(false))
      .filter(({ isReadOnly }) => isReadOnly)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(["access_role", "region", "storefront_store_domain"]);
  expect(await save({ access_role: "creator" }, false)).toMatchObject({
    outcome: "refused",
    problems: { access_role: "is set by the platform" },
  });
});

test("what is no form, names an unknown field, or has one wrong value saves nothing", async () => {
  await saveTenantConfig(world.ctx, SHOP, { brand_name: "Kestrel" }, true);
  for (const posted of ["", "null", "[]", "{", 3, undefined])
    expect(await saveSettings(world.ctx, SHOP, posted, true)).toMatchObject({ outcome: "refused" });
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
