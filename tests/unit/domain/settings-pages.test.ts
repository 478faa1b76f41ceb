// The list of the settings' pages: each setting has one place, and each page its texts.
import { describe, expect, it } from "vitest";
import { channels } from "../../../app/domain/channels/index.ts";
import { tenantField, tenantFieldNames } from "../../../app/domain/tenants/tenant-config.ts";
import {
  findFormPage,
  findIntegration,
  INTEGRATIONS,
  pathOfPage,
  SETTINGS_ANCHORS,
  SETTINGS_PAGES,
} from "../../../app/domain/tenants/settings/settings-pages.ts";
import en from "../../../app/locales/en/settings.json" with { type: "json" };

const cards = SETTINGS_PAGES.flatMap((page) =>
  page.cards.map((card) => ({ ...card, page: page.name })),
);

describe("the pages of the settings", () => {
  it("have a place for every setting of a store, and no setting has two", () => {
    const placed: string[] = cards.flatMap(({ fields }) => [...fields]);
    expect(placed.toSorted()).toEqual([...tenantFieldNames].toSorted());
  });

  it("keep what is technical on the page Advanced", () => {
    const technical = tenantFieldNames.filter(
      (name) =>
        tenantField(name).platformOnly === true ||
        /^storefront_|^jwt_|^admin_key|_iterations$|_phase$|_origins?$|_hosts$/.test(name),
    );
    const places = technical.map((name) => [
      name,
      cards.find(({ fields }) => fields.some((one) => one === name))?.page,
    ]);
    expect(places).toEqual(technical.map((name) => [name, "advanced"]));
  });

  it("have a title and a text each, and so have their cards", () => {
    expect(Object.keys(en.pages)).toEqual(SETTINGS_PAGES.map(({ name }) => name));
    expect(Object.keys(en.cards).toSorted()).toEqual(cards.map(({ name }) => name).toSorted());
  });

  it("are found by their names, and nothing else is", () => {
    expect(findFormPage("brand")?.cards.map(({ name }) => name)).toEqual([
      "brand",
      "look",
      "contact",
    ]);
    for (const name of ["integrations", "agents", "connection", "constructor", "", "nothing"])
      expect([name, findFormPage(name)]).toEqual([name, null]);
  });

  it("are where the anchors of the former single page lead", () => {
    expect(SETTINGS_ANCHORS).toMatchObject({
      brand: pathOfPage("brand"),
      sign_in: pathOfPage("sign-in"),
      erp: "/app/settings/integrations/erp",
      retail: pathOfPage("integrations"),
      retention: pathOfPage("privacy"),
      store: pathOfPage("advanced"),
    });
  });
});

describe("the integrations", () => {
  const neededBy = (name: string) => channels.find((one) => one.name === name)?.needs ?? [];

  it("name channels that exist, each once, and hold the settings that these need", () => {
    const named: string[] = INTEGRATIONS.flatMap((one) => [...one.channels]);
    const known = channels.map(({ name }) => name);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
    for (const { name, fields, channels: own } of INTEGRATIONS)
      for (const needed of own.flatMap(neededBy))
        expect([name, needed, fields.some((field) => field === needed)]).toEqual([
          name,
          needed,
          true,
        ]);
  });

  it("cover every channel that a store configures", () => {
    const configured = channels.filter(({ needs }) => needs.length > 0).map(({ name }) => name);
    expect(configured.toSorted()).toEqual(
      INTEGRATIONS.flatMap((one) => [...one.channels]).toSorted(),
    );
  });

  it("test a system of theirs where it has a test", () => {
    for (const { name, channels: own } of INTEGRATIONS) {
      const integration = findIntegration(name);
      const test = integration && "test" in integration ? integration.test : undefined;
      const hasTest = own.some((channel) => channels.find((one) => one.name === channel)?.probe);
      expect([name, test !== undefined]).toEqual([name, hasTest || name === "email"]);
    }
  });
});
