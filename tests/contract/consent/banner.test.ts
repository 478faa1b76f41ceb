// The store's banner on the server: drafts, publication, history, what a design may not be, and the counts of what
// shoppers do with it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BANNER_LANGUAGES } from "../../../app/domain/tenants/banner/banner-texts.ts";
import {
  discardBannerDraft,
  publishBanner,
  readBannerWork,
  restoreBanner,
  saveBannerDraft,
} from "../../../app/domain/tenants/banner/banner-drafts.ts";
import {
  exportInsights,
  readInsights,
} from "../../../app/domain/consent/insights/read-insights.ts";
import { findFrontPageFrame } from "../../../app/domain/tenants/storefront/front-page-frame.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP, { locale: "en", privacy_url: "https://kestrel.example/privacy" });
  await service.addTenant(OTHER_SHOP);
});

const tenant = (shop = SHOP) => getTenant(service.ctx, shop);
const work = async (shop = SHOP) => readBannerWork(service.ctx, await tenant(shop));
const save = async (changes: Record<string, unknown>, revision: number, by = "1") =>
  saveBannerDraft(service.ctx, await tenant(), { revision, changes }, by);
const publish = async (revision: number, by = "1") =>
  publishBanner(service.ctx, await tenant(), { revision }, by);
const footer = async (query = "", shop = SHOP) =>
  (await service.call("GET", `/embed/footer?shop=${shop}${query}`, { key: null })).text;
/** The fields that a change is rejected with. */
const problemsOf = async (changes: Record<string, unknown>, revision = 0) => {
  const error = await save(changes, revision).then(
    () => null,
    (reason: { code: string; fields?: Record<string, string> }) => reason,
  );
  return error && [error.code, ...Object.keys(error.fields ?? {})];
};

describe("a draft", () => {
  it("is seen by nobody until it is published, and then by this store's shoppers alone", async () => {
    const { revision } = await save({ template: "corner", position: "right", radius: 12 }, 0);
    expect(await footer()).toContain('crm-bar crm-left"');
    expect(await publish(revision, "77")).toEqual({ version: 1 });
    expect(await footer()).toContain("crm-corner crm-right");
    expect(await footer()).toContain("--radius:12px");
    expect(await footer("", OTHER_SHOP)).toContain('crm-bar crm-left"');
    expect((await work(OTHER_SHOP)).versions).toEqual([]);
    expect((await work()).versions).toMatchObject([{ version: 1, by: "77", restoredFrom: null }]);
  });

  it("keeps two people's changes of different settings, and rejects the later one of the same setting", async () => {
    await save({ font: "serif", radius: 2 }, 0, "1");
    await save({ scheme: "dark" }, 0, "2");
    expect(await problemsOf({ radius: 9, font: "rounded" }, 0)).toEqual([
      "conflict",
      "radius",
      "font",
    ]);
    const { draft } = await work();
    expect(draft).toMatchObject({
      revision: 2,
      by: "2",
      fields: { font: "serif", radius: 2, scheme: "dark" },
    });
    await expect(publish(1)).rejects.toMatchObject({ code: "conflict" });
    await Promise.all([
      save({ "texts.de": { title: "Hallo" } }, 2),
      save({ "texts.fr": { title: "Salut" } }, 2),
    ]);
    expect((await work()).draft.fields).toMatchObject({
      "texts.de": { title: "Hallo" },
      "texts.fr": { title: "Salut" },
    });
  });

  it("cannot break the contrast of text or buttons, hide refusal, or hold what is no design", async () => {
    const light = { ground: "#ffffff", text: "#1a1c1d", button: "#1a1c1d", on_button: "#ffffff" };
    const cases: [Record<string, unknown>, string][] = [
      [{ light: { ...light, text: "#777777" } }, "light"],
      [{ dark: { ...light, button: "#888888" } }, "dark"],
      [{ light: { ...light, button: "#fafafa", on_button: "#000000" } }, "light"],
      [{ light: { ...light, ground: "red;}body{display:none" } }, "light"],
      [{ "texts.en": { refuse: "Accept all" } }, "texts.en.refuse"],
      [{ "texts.en": { refuse: "\u200B\u200B\u3164\u3164" } }, "texts.en.refuse"],
      [{ "texts.en": { refuse: " " } }, "texts.en.refuse"],
      [{ "texts.en": { title: "a\u202Eb" } }, "texts.en.title"],
      [{ "texts.en": { text: "x".repeat(601) } }, "texts.en.text"],
      [{ "texts.en": { unknown: "ab" } }, "texts.en"],
      [{ "texts.xx": { title: "ab" } }, "texts.xx"],
      [{ logo_url: "javascript:alert(1)" }, "logo_url"],
      [{ logo_url: "http://tracker.example/x.png" }, "logo_url"],
      [{ logo_url: "https://user:pass@x.example/" }, "logo_url"],
      [{ radius: 25 }, "radius"],
      [{ font: "Comic Sans" }, "font"],
      [{ template: "hidden" }, "template"],
      [{ template: "corner", position: "middle" }, "position"],
      [{ links: { privacy: true } }, "links"],
      [{ __proto__x: 1 }, "__proto__x"],
    ];
    for (const [changes, field] of cases)
      expect([changes, await problemsOf(changes)]).toEqual([changes, ["invalid_request", field]]);
    expect((await work()).draft.revision).toBe(0);
  });

  it("shows hostile texts as text, in every language", async () => {
    const attack = `<img src=x onerror=alert(1)>"'&{{ shop }}</style>`;
    const own = { title: attack, text: attack, accept: `${attack}1` };
    const { revision } = await save(
      Object.fromEntries(BANNER_LANGUAGES.map((lang) => [`texts.${lang}`, own])),
      0,
    );
    await publish(revision);
    for (const lang of ["en", "ja"]) {
      const html = await footer(`&locale=${lang}`);
      expect(html).not.toContain("<img src=x");
      expect(html).toContain("&#60;img src=x onerror=alert(1)&#62;");
    }
  });

  it("becomes what is published when it is discarded, and a save from before is rejected", async () => {
    const { revision } = await save({ radius: 20 }, 0);
    await publish(revision);
    await save({ radius: 1 }, revision);
    const discard = async (seen: number) =>
      discardBannerDraft(service.ctx, await tenant(), { revision: seen }, "1");
    await expect(discard(1)).rejects.toMatchObject({ code: "conflict" });
    await discard(2);
    expect(await work()).toMatchObject({ isChanged: false, draft: { fields: { radius: 20 } } });
    expect(await problemsOf({ radius: 3 }, 2)).toEqual(["conflict", "radius"]);
  });
});

describe("the history", () => {
  it("returns an earlier version as a new one, and keeps a draft with changes of its own", async () => {
    await publish((await save({ radius: 1 }, 0)).revision);
    await publish((await save({ radius: 2 }, 1)).revision);
    await save({ font: "serif" }, 2);
    const restored = await restoreBanner(service.ctx, await tenant(), { version: 1 }, "9");
    expect(restored).toEqual({ version: 3 });
    expect(await footer()).toContain("--radius:1px");
    expect(await work()).toMatchObject({
      published: 3,
      isChanged: true,
      draft: { fields: { font: "serif", radius: 2 } },
      versions: [{ version: 3, restoredFrom: 1, by: "9" }, { version: 2 }, { version: 1 }],
    });
  });

  it("has no version of another store", async () => {
    await publish((await save({ radius: 1 }, 0)).revision);
    await expect(
      restoreBanner(service.ctx, await tenant(OTHER_SHOP), { version: 1 }, "9"),
    ).rejects.toMatchObject({ code: "not_found" });
  });

  it("numbers publications at once without a gap", async () => {
    await publish((await save({ radius: 1 }, 0)).revision);
    const store = await tenant();
    await Promise.all(
      [1, 2, 3, 4].map(() => restoreBanner(service.ctx, store, { version: 1 }, null)),
    );
    expect((await work()).versions.map(({ version }) => version)).toEqual([5, 4, 3, 2, 1]);
    expect((await tenant()).connection.banner_version).toBe(5);
  });
});

describe("POST /embed/banner-events", () => {
  const EVENT = { step: "shown", version: 0, language: "de", device: "phone", region: "DE" };
  const send = (body: unknown, headers: Record<string, string> = {}, shop = SHOP) =>
    service.call("POST", `/embed/banner-events?shop=${shop}`, {
      key: null,
      body: body as object,
      headers: { Origin: `https://${shop}`, ...headers },
    });
  const insights = async (by: "region" | "device" | "language" | "version", shop = SHOP) =>
    readInsights(service.ctx, await tenant(shop), { days: 7, by });

  it("counts each step once in the total and once in each dimension, and nothing else", async () => {
    const events = [
      ...Array.from({ length: 40 }, () => EVENT),
      ...Array.from({ length: 3 }, () => ({ ...EVENT, step: "accepted", region: "USCA" })),
      { ...EVENT, step: "refused", device: "desktop" },
    ];
    const answers = await Promise.all(events.map((event) => send(event)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    const { now, days, rows } = await insights("region");
    expect(now).toEqual({ shown: 40, accepted: 3, refused: 1, customised: 0, rate: 0.75 });
    expect(days.at(-1)).toMatchObject({ shown: 40, accepted: 3, refused: 1 });
    expect(rows.map(({ value, shown, accepted }) => [value, shown, accepted])).toEqual([
      ["DE", 40, 0],
      ["US-CA", 0, 3],
    ]);
    expect((await insights("version")).rows.map(({ value }) => value)).toEqual(["0"]);
    expect((await insights("region", OTHER_SHOP)).now.shown).toBe(0);
    const columns = await service.database.query<{ column_name: string }>(
      "SELECT column_name FROM information_schema.columns WHERE table_name = 'banner_days'",
    );
    expect(columns.map(({ column_name: name }) => name).toSorted()).toEqual([
      "accepted",
      "customised",
      "day",
      "dimension",
      "refused",
      "shop",
      "shown",
      "value",
      "version",
    ]);
    let csv = "";
    for await (const part of exportInsights(service.ctx, await tenant(), { days: 7 })) csv += part;
    expect(csv.split("\r\n")).toContain(`${new Date().toISOString().slice(0, 10)},0,all,,40,3,1,0`);
  });

  it("compares with the period before", async () => {
    await service.database.query(
      `INSERT INTO banner_days (shop, day, version, dimension, value, shown, accepted, refused) VALUES
        ($1, current_date - 8, 0, 'all', '', 10, 1, 3), ($1, current_date - 8, 0, 'device', 'phone', 10, 1, 3)`,
      [SHOP],
    );
    await send({ ...EVENT, step: "accepted" });
    const { now, before, rows } = await insights("device");
    expect([now.rate, before.rate, rows[0]?.rateBefore]).toEqual([1, 0.25, 0.25]);
  });

  it.each([
    ["an unknown step", { ...EVENT, step: "sold" }],
    ["a version that was never published", { ...EVENT, version: 1 }],
    ["a device that is none", { ...EVENT, device: "=1+1" }],
    ["a further field", { ...EVENT, visitor: "abc" }],
    ["a long region", { ...EVENT, region: "x".repeat(9) }],
    ["a list", [EVENT]],
  ])("rejects %s", async (_, body) => {
    expect((await send(body)).status).toBe(400);
    expect((await insights("region")).now.shown).toBe(0);
  });

  it("counts a place or language that it does not know as unknown", async () => {
    await send({ ...EVENT, region: "zz<b>", language: "tlh" });
    expect((await insights("region")).rows.map(({ value }) => value)).toEqual(["unknown"]);
    expect((await insights("language")).rows.map(({ value }) => value)).toEqual(["unknown"]);
  });

  it("rejects large bodies and pages of other sites, and tells the store's own pages that they may call", async () => {
    expect((await send({ ...EVENT, region: "x".repeat(600) })).status).toBe(413);
    expect((await send(EVENT, { Origin: "https://evil.example" })).status).toBe(403);
    const { headers } = await send(EVENT);
    expect(headers.get("access-control-allow-origin")).toBe(`https://${SHOP}`);
    expect(headers.get("set-cookie")).toBeNull();
  });
});

describe("the store's front page behind the preview", () => {
  const find = async (shop = SHOP) => findFrontPageFrame(service.ctx, await tenant(shop));
  const forget = () => service.database.query("DELETE FROM kv WHERE key = 'front_page'", []);

  it("is the page behind the store's redirect where it can be framed, and is asked for once", async () => {
    const { storefront } = service.sandbox;
    storefront.setFrameable(SHOP, true);
    const url = `${service.sandbox.url}/store/${SHOP}`;
    expect(await find()).toEqual({ state: "frameable", url });
    storefront.setFrameable(SHOP, false);
    expect(await find()).toEqual({ state: "frameable", url });
  });

  it("refuses frames, wants a password, or does not open: each has its own state", async () => {
    const { storefront } = service.sandbox;
    storefront.setFrameable(SHOP, false);
    expect(await find()).toEqual({ state: "refused" });
    await forget();
    storefront.setPassword(SHOP, true);
    expect(await find()).toEqual({ state: "password" });
    storefront.setPassword(SHOP, false);
    await service.addTenant("nowhere.myshopify.com");
    expect(await find("nowhere.myshopify.com")).toEqual({ state: "unreachable" });
  });
});
