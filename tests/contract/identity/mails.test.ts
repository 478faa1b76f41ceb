import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderMail } from "../../../app/domain/channels/email/messages.ts";
import { MAIL_TEXTS, type MailLocale } from "../../../app/domain/channels/email/mail-texts.ts";
import type { MailTemplate } from "../../../app/domain/identity/mails.ts";
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
  reset_password: true,
  account_exists: true,
  sign_in_linked: false,
  account_deleted: false,
  confirm_consent: true,
  data_export: true,
  dead_letter: false,
};
const LOCALES = Object.keys(MAIL_TEXTS) as MailLocale[];
const look = { locale: "en", brand: "Ada's Shop", name: "Ada", provider: "federated" };
const every = LOCALES.flatMap((locale) =>
  (Object.keys(WITH_LINK) as MailTemplate[]).map((template) => [locale, template] as const),
);

describe("every mail, in every language", () => {
  it("exists: nine mails in each of three languages", () => {
    expect(every).toHaveLength(27);
    for (const locale of LOCALES)
      expect(Object.keys(MAIL_TEXTS[locale].templates).sort()).toEqual(
        Object.keys(WITH_LINK).sort(),
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
      for (const part of Object.values(mail)) expect(part).not.toMatch(/[{}]|undefined|null/);
      expect(mail.html).toContain(`<html lang="${locale}">`);
      expect(mail.text).toContain("Ada");
      const links = [mail.text, mail.html].map((part) => part.match(/https?:[^\s"<]+/g) ?? []);
      if (WITH_LINK[template]) {
        expect(links[0]).toEqual([LINK]);
        expect(links[1]).toEqual([LINK.replace("&", "&#38;")]);
      } else expect(links.flat()).toEqual([]);
    },
  );

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
        brand: `$& Co\r\nBcc: eve@example.com\u2028{provider} <img src=x onerror=alert(1)>`,
        name: `Ada\r\nSubject: x\u0000</p><script>alert(1)</script>`,
      };
      const mail = renderMail(template, { ...look, ...evil, locale, link: LINK });
      expect(mail.subject).not.toMatch(/[\r\n\u2028\u2029\u0000]/);
      expect(mail.subject).toContain("$& Co Bcc: eve@example.com {provider} <img");
      expect(mail.text).not.toContain("\nBcc:");
      expect(mail.text).not.toContain("\nSubject:");
      expect(mail.html).not.toMatch(/<script|<img|onerror=alert\(1\)>/);
    },
  );
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

  it("link only to this service, with the store and one token", async () => {
    const { email } = await signUp(service);
    await forgot(service, email);
    for (const path of ["/auth/verify-email", "/auth/password/reset"]) {
      const link = new URL(await mailedLink(service, email, path));
      expect([link.origin, link.pathname, [...link.searchParams.keys()], link.hash]).toEqual([
        service.url,
        path,
        ["shop", "token"],
        "",
      ]);
      expect(link.searchParams.get("shop")).toBe(SHOP);
    }
  });
});
