import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { brandOf, textColorOn, type MailBrand } from "../../../app/domain/mails/mail-brand.ts";
import {
  MAIL_TEMPLATES,
  MAIL_TEXTS,
  type MailLocale,
  type MailTemplate,
} from "../../../app/domain/mails/mail-texts.ts";
import { renderMail } from "../../../app/domain/mails/render-mail.ts";
import { testConnection } from "../../../app/domain/merchant/connection-tests.ts";
import { renderSample, sendSample } from "../../../app/domain/merchant/mail-samples.ts";
import { timeZoneOf } from "../../../app/domain/tenants/storefront/time-zone.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import {
  deleteMe,
  forgot,
  mailedLink,
  mailedToken,
  PASSWORD,
  queueIsEmpty,
  retriesAreDone,
  signUp,
  verify,
} from "./people.ts";

const LINK = "https://id.example/auth/password/reset?shop=a.myshopify.com&token=abc";
const WITH_LINK: Record<MailTemplate, boolean> = {
  welcome: true,
  verify_email: true,
  verify_changed_email: true,
  reset_password: true,
  account_exists: true,
  sign_in_linked: false,
  account_deleted: false,
  confirm_consent: true,
  request_consent: true,
  data_export: true,
  dead_letter: false,
  privacy_due: true,
  storefront_finding: true,
};
const LOCALES = Object.keys(MAIL_TEXTS) as MailLocale[];
const brand: MailBrand = {
  name: "Ada's Shop",
  logoUrl: null,
  color: null,
  supportEmail: null,
  privacyUrl: null,
};
const look = { locale: "en", brand, name: "Ada", provider: "federated" };
const every = LOCALES.flatMap((locale) =>
  MAIL_TEMPLATES.map((template) => [locale, template] as const),
);

describe("every mail, in every language", () => {
  it("exists: thirteen mails in each of three languages", () => {
    expect(every).toHaveLength(39);
    for (const locale of LOCALES)
      expect(Object.keys(MAIL_TEXTS[locale].templates).sort()).toEqual(
        [...MAIL_TEMPLATES, "connection_test", "gate_code"].sort(),
      );
  });

  it.each(every)(
    "%s %s names the store in its subject, fills every placeholder, and has a link exactly when it needs one",
    (locale, template) => {
      const mail = renderMail(template, {
        ...look,
        locale,
        link: WITH_LINK[template] ? LINK : null,
      });
      expect(mail.subject).toContain("Ada's Shop");
      for (const part of Object.values(mail))
        expect(part.replace(/<style>.*<\/style>/, "")).not.toMatch(/[{}]|undefined|null/);
      expect(mail.html).toContain(`<html lang="${locale}">`);
      // A mail program that shows the mail in its own page drops the root element.
      expect(mail.html).toMatch(
        new RegExp(`<body[^>]*>\\s*<table[^>]* lang="${locale}" dir="ltr"`),
      );
      expect(mail.text).toContain("Ada");
      const links = [mail.text, mail.html].map((part) => part.match(/https?:[^\s"<]+/g) ?? []);
      if (WITH_LINK[template]) {
        expect(links[0]).toEqual([LINK]);
        expect(links[1]).toEqual([LINK.replace("&", "&#38;")]);
      } else expect(links.flat()).toEqual([]);
    },
  );

  it("puts a no-break space before the colon of a link in French", () => {
    for (const template of MAIL_TEMPLATES.filter((name) => WITH_LINK[name])) {
      const { text } = renderMail(template, { ...look, locale: "fr", link: LINK });
      expect(text).toContain(`\u00a0: ${LINK}`);
    }
  });

  it.each(every)("%s %s differs from the other languages", (locale, template) => {
    const others = LOCALES.filter((other) => other !== locale).map((other) =>
      renderMail(template, { ...look, locale: other, link: LINK }),
    );
    const mail = renderMail(template, { ...look, locale, link: LINK });
    for (const other of others)
      expect([other.subject, other.text]).not.toEqual([mail.subject, mail.text]);
    for (const other of others) expect(other.subject).not.toBe(mail.subject);
  });

  it.each(every)(
    "%s %s is safe from header, markup and pattern injection by a name or a brand",
    (locale, template) => {
      const evil = {
        brand: {
          ...brand,
          name: `$& Co\r\nBcc: eve@example.com\u2028{provider} <img src=x onerror=alert(1)>`,
        },
        name: `$& Ada\r\nSubject: x\u0000</p><script>alert(1)</script>`,
      };
      const mail = renderMail(template, { ...look, ...evil, locale, link: LINK });
      expect(mail.subject).not.toMatch(/[\r\n\u2028\u2029\u0000]/);
      expect(mail.subject).toContain("$& Co Bcc: eve@example.com {provider} <img");
      expect(mail.text).not.toContain("\nBcc:");
      expect(mail.text).not.toContain("\nSubject:");
      expect(mail.text).toContain("$& Ada Subject: x </p>");
      expect(mail.html).not.toMatch(/<script|<img|onerror=alert\(1\)>/);
    },
  );
});

describe("the one template of all mails", () => {
  const full: MailBrand = {
    name: "Ada's Shop",
    logoUrl: "https://cdn.example/logo.png?a=1&b=2",
    color: "#ffd400",
    supportEmail: "help@ada.example",
    privacyUrl: "https://ada.example/privacy",
  };

  it("shows the store's logo with its name beside it, its colour on the button with readable text, and a column of 600 px", () => {
    const { html } = renderMail("welcome", { ...look, brand: full, link: LINK });
    expect(html).toContain('src="https://cdn.example/logo.png?a=1&#38;b=2" alt="Ada&#39;s Shop"');
    expect(html).toMatch(/class="button"[^>]*background-color:#ffd400.*color:#000000;/);
    expect(html).toContain("max-width:600px");
  });

  it("says at the end, in both parts, who sends it, why, and whom to ask", () => {
    const { html, text } = renderMail("welcome", { ...look, brand: full, link: LINK });
    const end = text.split("\n-- \n")[1] ?? "";
    expect(end.split("\n")).toEqual([
      "Ada's Shop sent this email. You're receiving it because the store has an account for this address.",
      "Questions? Write to help@ada.example.",
      "Privacy policy: https://ada.example/privacy",
    ]);
    expect(html).toContain("Ada&#39;s Shop sent this email. You&#39;re receiving it because");
    expect(html).toContain('href="mailto:help@ada.example"');
    expect(html).toContain('href="https://ada.example/privacy"');
    expect(renderMail("dead_letter", look).text).toContain(
      "The customer identity app of Ada's Shop sent this email.",
    );
  });

  it("names a store without a brand by its address, and cuts a name that no subject holds", () => {
    expect(brandOf({ shop: SHOP, config: {} } as unknown as Tenant).name).toBe(SHOP);
    const long = { ...brand, name: "x".repeat(5_000) };
    const { subject } = renderMail("welcome", { ...look, brand: long, link: LINK });
    expect(subject.length).toBeLessThan(200);
  });

  it("has dark colours for a reader who prefers them, in which the store's own colour stays", () => {
    const own = renderMail("welcome", { ...look, brand: full, link: LINK }).html;
    const standard = renderMail("welcome", { ...look, link: LINK }).html;
    for (const html of [own, standard]) {
      expect(html).toContain('<meta name="color-scheme" content="light dark">');
      expect(html).toContain("@media (prefers-color-scheme:dark){");
    }
    expect(own).not.toMatch(/\.button\{background-color/);
    expect(standard).toMatch(/\.button\{background-color:#f3f4f5!important/);
  });

  it("chooses black or white text with a contrast of at least 4.5:1 on every colour", () => {
    const luminance = (color: string) => {
      const [red, green, blue] = [1, 3, 5].map((at) => {
        const share = parseInt(color.slice(at, at + 2), 16) / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      }) as [number, number, number];
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const digits = ["00", "33", "66", "77", "99", "cc", "ff"];
    for (const red of digits)
      for (const green of digits)
        for (const blue of digits) {
          const color = `#${red}${green}${blue}`;
          const [dark, light] = [luminance(color), luminance(textColorOn(color))].toSorted(
            (one, other) => one - other,
          ) as [number, number];
          expect((light + 0.05) / (dark + 0.05)).toBeGreaterThanOrEqual(4.5);
        }
  });

  it("takes no script address and no style from a stored brand, and writes its values as text", () => {
    const config = {
      brand_name: `"><script>alert(1)</script>`,
      logo_url: "javascript:alert(1)",
      privacy_url: "data:text/html,<script>alert(1)</script>",
      brand_color: "#ff0000;background:url(https://evil.example)",
      support_email: `"><img src=x>@evil.example`,
    };
    const hostile = brandOf({ shop: SHOP, config } as unknown as Tenant);
    expect(hostile).toMatchObject({ logoUrl: null, privacyUrl: null, color: null });
    const { html } = renderMail("welcome", {
      ...look,
      brand: { ...hostile, logoUrl: `https://cdn.example/"><script>alert(1)</script>` },
      link: LINK,
    });
    expect(html).not.toMatch(/<script|<img src=x|evil\.example\)|javascript:/);
    expect(html).toContain('alt="&#34;&#62;&#60;script&#62;alert(1)');
  });

  it("is also that of the connection's test and of a code for the admin pages, which stands out", () => {
    const test = renderMail("connection_test", { locale: "fr", brand: full });
    expect(test.html).toContain('class="logo"');
    const code = renderMail("gate_code", { locale: "es", brand: null, code: "12345678" });
    expect(code.html).toMatch(/<strong style="[^"]*">12345678<\/strong>/);
    expect(code.text).toMatch(/^12345678 abre/);
    expect(`${code.html}${test.html}`.replace(/<style>.*<\/style>/g, "")).not.toMatch(/[{}]/);
  });
});

describe("sent mails", () => {
  let service: Service;
  const BRAND = "Ada & Söhne";

  beforeAll(async () => {
    service = await startService({ background: true });
    await service.addTenant(SHOP, { brand_name: BRAND, locale: "fr" });
    await service.addTenant(OTHER_SHOP, { email_from: "Other Store <shop@other.example>" });
  });
  afterAll(() => service.stop());

  it("have EMAIL_FROM under the store's name as sender, one recipient, and the deployed API key", async () => {
    const [here, there] = [await signUp(service), await signUp(service, {}, OTHER_SHOP)];
    await queueIsEmpty(service);
    expect(service.sandbox.email.mailsTo(here.email)).toMatchObject([
      { from: `${BRAND} <hello@test-store.example>`, to: [here.email], headers: {} },
    ]);
    expect(service.sandbox.email.mailsTo(there.email)).toMatchObject([
      { from: "Other Store <hello@test-store.example>", to: [there.email] },
    ]);
    for (const { headers } of service.sandbox.requests("email"))
      expect([headers.authorization, Boolean(headers["idempotency-key"])]).toEqual([
        "Bearer test-email-key",
        true,
      ]);
  });

  it("are in the person's language, else the store's", async () => {
    const [french, spanish, german] = [
      await signUp(service),
      await signUp(service, { language_pref: "es" }),
      await signUp(service, { language_pref: "de" }),
    ];
    await queueIsEmpty(service);
    expect(service.sandbox.email.mailsTo(french.email)[0]?.subject).toBe(
      `Vérifiez votre adresse e-mail pour ${BRAND}`,
    );
    expect(service.sandbox.email.mailsTo(spanish.email)[0]?.subject).toBe(
      `Verifica tu correo electrónico para ${BRAND}`,
    );
    expect(service.sandbox.email.mailsTo(german.email)[0]?.subject).toContain(BRAND);
  });

  it("are delivered once although the response of the first attempt was lost, and their link works", async () => {
    service.sandbox.failNext("email", { dropReply: true }, 1);
    const { email } = await signUp(service);
    const token = await mailedToken(service, email, "/auth/verify-email");
    await retriesAreDone(service);
    expect(service.sandbox.email.mailsTo(email)).toHaveLength(1);
    expect((await verify(service, token)).status).toBe(200);
  });

  it("wait while the provider still works on the first request, and are delivered once", async () => {
    const { email } = await signUp(service);
    await queueIsEmpty(service);
    service.sandbox.failNext("email", {
      status: 409,
      body: { statusCode: 409, name: "concurrent_idempotent_requests" },
    });
    await forgot(service, email);
    await retriesAreDone(service);
    const sent = service.sandbox.email.mailsTo(email);
    expect(sent.filter(({ text }) => text?.includes("/auth/password/reset"))).toHaveLength(1);
  });

  it("of a deletion reach the deleted address, which is stored nowhere in clear text", async () => {
    const { email, token } = await signUp(service, { language_pref: "es" });
    await queueIsEmpty(service);
    service.sandbox.failNext("email", { status: 503 }, 1);
    await deleteMe(service, token, { password: PASSWORD });
    expect(
      JSON.stringify(await service.database.query("SELECT * FROM integration_queue")),
    ).not.toContain(email);
    await retriesAreDone(service);
    expect(service.sandbox.email.mailsTo(email).map(({ subject }) => subject)).toContain(
      `Tu cuenta de ${BRAND} se ha eliminado`,
    );
  });

  it("of the screen's test have sample data, leave with the store's sender, and are limited per store and, in all stores, per address", async () => {
    // One time for all mails: an hour may end meanwhile.
    const now = new Date();
    const limited = {
      ...service.ctx,
      clock: { now: () => now },
      config: { ...service.ctx.config, RATE_LIMIT_SCALE: 1 },
    };
    const send = async (shop: string, to: string) =>
      sendSample(limited, await getTenant(limited, shop), {
        to,
        template: "reset_password",
        locale: "es",
      });
    for (const shop of [SHOP, SHOP, SHOP, OTHER_SHOP, OTHER_SHOP])
      await send(shop, "desk@merchant.example");
    await expect(send(OTHER_SHOP, "Desk@merchant.example")).rejects.toThrow("Too many");
    for (let at = 0; at < 7; at += 1) await send(SHOP, `desk-${at}@merchant.example`);
    await expect(send(SHOP, "another@merchant.example")).rejects.toThrow("Too many");
    const sent = service.sandbox.email.mailsTo("desk@merchant.example");
    expect(sent).toHaveLength(5);
    expect(sent[0]).toMatchObject({
      from: `${BRAND} <hello@test-store.example>`,
      subject: `[Prueba] Elige una contraseña nueva para ${BRAND}`,
    });
    expect(sent[0]?.text).toContain("Ada");
    expect(sent[0]?.text).not.toContain("token=");
  });

  it("of the screen about deadlines name a day within the week that they speak of", async () => {
    const tenant = await getTenant(service.ctx, SHOP);
    const sample = () =>
      renderSample(tenant, { template: "privacy_due", locale: "en", scheme: "auto" }).text;
    const days = [4, 5, 6].map((ahead) =>
      new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: timeZoneOf(tenant) }).format(
        new Date(Date.now() + ahead * 86_400_000),
      ),
    );
    expect(sample()).toContain("within a week");
    expect(days.filter((day) => sample().includes(day))).toHaveLength(1);
  });

  it("of a test that the provider refuses count for no limit but that of the attempts", async () => {
    const shop = "refused-mails.myshopify.com";
    await service.addTenant(shop);
    const now = new Date();
    const limited = {
      ...service.ctx,
      clock: { now: () => now },
      config: { ...service.ctx.config, RATE_LIMIT_SCALE: 1 },
    };
    const send = async () =>
      sendSample(limited, await getTenant(limited, shop), {
        to: "counter@merchant.example",
        template: "reset_password",
        locale: "en",
      });
    const test = () => testConnection(limited, shop, "email");
    service.sandbox.failNext("email", { status: 403 }, 27);
    for (let at = 0; at < 7; at += 1) await expect(send()).rejects.toThrow("403");
    for (let at = 0; at < 20; at += 1)
      expect(await test()).toMatchObject({ failure: { kind: "access_refused" } });
    // What failed at the provider may have been sent.
    service.sandbox.failNext("email", { status: 500 });
    await expect(send()).rejects.toThrow("500");
    for (let at = 0; at < 4; at += 1) await send();
    await expect(send()).rejects.toThrow("Too many");
    expect(await test()).toMatchObject({ ok: true, to: "hello@test-store.example" });
    await service.addTenant(shop, { support_email: "help@refused.example" });
    for (let at = 0; at < 3; at += 1)
      expect(await test()).toMatchObject({ ok: true, to: "help@refused.example" });
    await expect(test()).rejects.toThrow("Too many");

    service.sandbox.failNext("email", { status: 403 }, 60);
    const other = "refused-often.myshopify.com";
    await service.addTenant(other);
    for (let at = 0; at < 60; at += 1) await testConnection(limited, other, "email");
    await expect(testConnection(limited, other, "email")).rejects.toThrow("Too many");
    service.sandbox.clearFaults();
  });

  it("link only to this service, with the store, one token and the mail's language", async () => {
    const { email } = await signUp(service, { language_pref: "es" });
    await forgot(service, email);
    for (const path of ["/auth/verify-email", "/auth/password/reset"]) {
      const link = new URL(await mailedLink(service, email, path));
      expect([link.origin, link.pathname, [...link.searchParams.keys()], link.hash]).toEqual([
        service.url,
        path,
        ["shop", "locale", "token"],
        "",
      ]);
      expect([link.searchParams.get("shop"), link.searchParams.get("locale")]).toEqual([
        SHOP,
        "es",
      ]);
    }
  });
});
