// The no-script pages behind mailed links.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SHOP, startService, type Answer, type Service } from "../../support/service.ts";
import {
  forgot,
  getMe,
  login,
  mailedLink,
  mailedToken,
  newEmail,
  PASSWORD,
  postSignUp,
  signUp,
  signUpBody,
} from "./people.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP, { brand_name: `Ada & "Söhne" <b>` });
});
afterAll(() => service.stop());

const RESET = "/auth/password/reset";
const VERIFY = "/auth/verify-email";
const setLocale = (locale: string | null) =>
  service.call("POST", `/config?shop=${SHOP}`, { body: { locale } });
const open = (link: string): Promise<Answer> =>
  service.call("GET", link.slice(service.url.length), { key: null });
const submit = (path: string, fields: Record<string, string>): Promise<Answer> =>
  service.call("POST", `${path}?shop=${SHOP}`, {
    key: null,
    body: new URLSearchParams(fields).toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
  });

async function resetLink(): Promise<{
  email: string;
  link: string;
  token: string;
  session: string;
}> {
  const { email, token: session } = await signUp(service);
  await forgot(service, email);
  const link = await mailedLink(service, email, RESET);
  return { email, link, session, token: new URL(link).searchParams.get("token") as string };
}

function expectSafePage(answer: Answer): void {
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("referrer-policy")).toMatch(/^(no-referrer|same-origin)$/);
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  const policy = answer.headers.get("content-security-policy") ?? "";
  for (const rule of [
    "default-src 'self'",
    "frame-ancestors 'none'",
    "form-action 'self'",
    "base-uri 'none'",
  ])
    expect(policy).toContain(rule);
  expect(answer.text).not.toMatch(/<script|src="|https?:\/\//);
  expect(answer.text).toMatch(/<html lang="(en|es|fr)">/);
  expect(answer.text.match(/<h1>/g)).toHaveLength(1);
  expect(answer.text).not.toContain(`"Söhne" <b>`);
}

describe("the page behind a password reset link", () => {
  it("shows a labelled form with the password rule and the token, runs no script and sends no Referer to other sites", async () => {
    const { link, token } = await resetLink();
    const answer = await open(link);
    expect(answer.status).toBe(200);
    expectSafePage(answer);
    expect(answer.text).toContain(`action="${RESET}?shop=${SHOP}"`);
    expect(answer.text).toContain(`<input type="hidden" name="token" value="${token}">`);
    expect(answer.text).toMatch(
      /<label for="password">[^<]+<\/label><input id="password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="128" required/,
    );
  });

  it("is not used up by GET requests, even by ten mail scanners", async () => {
    const { link, token } = await resetLink();
    for (let times = 0; times < 10; times += 1) await open(link);
    expect((await service.call("HEAD", link.slice(service.url.length), { key: null })).status).toBe(
      200,
    );
    expect((await submit(RESET, { token, password: "a fine password" })).status).toBe(200);
  });

  it("saves the password on a plain form post, ends the sessions and shows a confirmation page", async () => {
    const { email, token, session } = await resetLink();
    const answer = await submit(RESET, { token, password: "a fine password" });
    expect(answer.status).toBe(200);
    expectSafePage(answer);
    expect(answer.text).toContain("Password saved");
    expect(answer.text).not.toContain(token);
    expect((await getMe(service, session)).status).toBe(401);
    expect((await login(service, email, "a fine password")).status).toBe(200);
  });

  it("shows the form again with the error, and keeps the link valid, when the password is too short or equals the address", async () => {
    const { email, token } = await resetLink();
    for (const password of ["short", "", email]) {
      const answer = await submit(RESET, { token, password });
      expect(answer.status).toBe(400);
      expectSafePage(answer);
      expect(answer.text).toMatch(/role="alert"[^>]*>The password must be 8 to 128 characters/);
      expect(answer.text).toContain('aria-invalid="true"');
      expect(answer.text).toContain(token);
    }
    expect((await login(service, email, PASSWORD)).status).toBe(200);
    expect((await submit(RESET, { token, password: "a fine password" })).status).toBe(200);
  });

  it("shows an error page for a used link, another store's link and a missing token", async () => {
    const { token } = await resetLink();
    await submit(RESET, { token, password: "a fine password" });
    for (const fields of [
      { token, password: "a fine password" },
      { token: "never made", password: "a fine password" },
      { password: "a fine password" },
    ]) {
      const answer = await submit(RESET, fields as Record<string, string>);
      expect(answer.status).toBe(400);
      expectSafePage(answer);
      expect(answer.text).toContain("This link no longer works");
    }
  });

  it("escapes a token that contains markup", async () => {
    const answer = await service.call(
      "GET",
      `${RESET}?shop=${SHOP}&token=${encodeURIComponent('"><script>alert(1)</script>')}`,
      { key: null },
    );
    expectSafePage(answer);
  });

  it.each([
    ["es", "es", "Elige una contraseña"],
    ["fr", "fr", "Choisissez un mot de passe"],
    ["de", "en", "Choose a password"],
  ])("is in the store's language: %s", async (locale, lang, title) => {
    await setLocale(locale);
    const answer = await service.call("GET", `${RESET}?shop=${SHOP}&token=x`, { key: null });
    await setLocale(null);
    expect(answer.text).toContain(`<html lang="${lang}">`);
    expect(answer.text).toContain(`<h1>${title}</h1>`);
  });

  it("shows a rate-limit page under a flood, without using up the link", async () => {
    const { token, email } = await resetLink();
    const flood = Promise.all(Array.from({ length: 140 }, () => login(service, email)));
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => submit(RESET, { token, password: "short" })),
    );
    for (const answer of answers) expect(answer.status).toBe(400);
    await flood;
    expect((await submit(RESET, { token, password: "a fine password" })).status).toBe(200);
  });
});

describe("the language of the pages behind mailed links", () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    service.call("GET", path, { key: null, headers });
  const french = { "Accept-Language": "fr-CA, en;q=0.5" };

  it("is that of the mail, from the link to the page after its form", async () => {
    const { link, token } = await resetLink();
    expect(new URL(link).searchParams.get("locale")).toBe("en");
    await submit(RESET, { token, password: "a fine password" });
    const { email } = await signUp(service, { language_pref: "fr" });
    await forgot(service, email);
    const second = await mailedLink(service, email, RESET);
    expect(new URL(second).searchParams.get("locale")).toBe("fr");
    const page = await open(second);
    expect(page.text).toContain('<html lang="fr">');
    const locale = /name="locale" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    const newer = new URL(second).searchParams.get("token") ?? "";
    const again = await submit(RESET, { token: newer, locale, password: "short" });
    expect(again.text).toContain('<html lang="fr">');
    expect(again.text).toContain('name="locale" value="fr"');
    const saved = await submit(RESET, { token: newer, locale, password: "a fine password" });
    expect(saved.text).toContain("<h1>Mot de passe enregistré</h1>");
    const gone = await submit(RESET, { token, locale: "es", password: "a fine password" });
    expect(gone.text).toContain("<h1>Este enlace ya no funciona</h1>");
  });

  it.each(["/auth/password/reset", "/auth/verify-email", "/auth/consent-confirm", "/gdpr/export"])(
    "%s is in the language of the link, else of the browser, else of the store",
    async (path) => {
      const at = `${path}?shop=${SHOP}&token=x`;
      const languageOf = async (answer: Promise<Answer>) =>
        /<html lang="(\w+)">/.exec((await answer).text)?.[1];
      expect(await languageOf(get(`${at}&locale=es-MX`, french))).toBe("es");
      expect(await languageOf(get(`${at}&locale=de`, french))).toBe("fr");
      expect(await languageOf(get(at, french))).toBe("fr");
      expect(await languageOf(get(at, { "Accept-Language": "ja" }))).toBe("en");
      expect(await languageOf(submit(path, { locale: "fr" }))).toBe("fr");
    },
  );
});

it("the page after a new password leads to the store's sign-in, in its language", async () => {
  const { token } = await resetLink();
  const saved = await submit(RESET, { token, locale: "es", password: "a fine password" });
  const href = /<a class="button wide" href="([^"]+)">Iniciar sesión<\/a>/.exec(saved.text)?.[1];
  const account = await service.call("GET", (href ?? "").replaceAll("&#38;", "&"), { key: null });
  expect(account.status).toBe(200);
  expect(account.text).toContain('lang="es"');
});

describe("the page behind a verification link", () => {
  it("verifies only when its button is pressed, and shows a confirmation", async () => {
    const { email, token: session } = await signUp(service);
    const link = await mailedLink(service, email, VERIFY);
    const page = await open(link);
    expectSafePage(page);
    expect(page.text).toMatch(/<form method="post" action="\/auth\/verify-email\?shop=[^"]+">/);
    expect((await getMe(service, session)).json.user.email_verified).toBe(false);
    const token = await mailedToken(service, email, VERIFY);
    const answer = await submit(VERIFY, { token, password: PASSWORD });
    expect(answer.status).toBe(200);
    expectSafePage(answer);
    expect(answer.text).toContain("Address verified");
    expect((await getMe(service, session)).json.user.email_verified).toBe(true);
    const again = await submit(VERIFY, { token });
    expect([again.status, again.text.includes("This link no longer works")]).toEqual([400, true]);
    expectSafePage(again);
  });

  it("names the password account that was created for the address, and asks for its password or a new one", async () => {
    const { email, token: session } = await signUp(service);
    const link = await mailedLink(service, email, VERIFY);
    const page = await open(link);
    expect(page.text).toContain(
      `An account with a password was created for this address: ${email}`,
    );
    expect(page.text).toMatch(/<label for="password">Password<\/label><input id="password"/);
    const token = await mailedToken(service, email, VERIFY);
    for (const password of ["", "short", email]) {
      const refused = await submit(VERIFY, { token, password });
      expect([refused.status, refused.text.includes('role="alert"')]).toEqual([400, true]);
      expectSafePage(refused);
    }
    expect((await getMe(service, session)).json.user.email_verified).toBe(false);
    expect((await submit(VERIFY, { token, password: "a password of my own" })).status).toBe(200);
    expect((await getMe(service, session)).status).toBe(401);
    expect((await login(service, email, "a password of my own")).status).toBe(200);
    expect((await login(service, email)).status).toBe(401);
  });

  it("asks for no password in a browser that is signed in to the account", async () => {
    const { email, token: session } = await signUp(service);
    const link = await mailedLink(service, email, VERIFY);
    const headers = { cookie: `__Host-crm_session=${session}` };
    const page = await service.call("GET", link.slice(service.url.length), { key: null, headers });
    expect(page.text).not.toContain("password");
    const post = (origin: string) =>
      service.call("POST", `${VERIFY}?shop=${SHOP}`, {
        key: null,
        body: new URLSearchParams({
          token: new URL(link).searchParams.get("token") ?? "",
        }).toString(),
        headers: { ...headers, origin, "Content-Type": "application/x-www-form-urlencoded" },
      });
    // A cross-site form post carries the cookie too, so the cookie proves nothing.
    expect((await post("https://evil.example")).status).toBe(400);
    expect((await post(new URL(service.url).origin)).status).toBe(200);
    expect((await getMe(service, session)).json.user.email_verified).toBe(true);
  });

  it("shows an error page without a token, or with one that is too long", async () => {
    for (const fields of [{}, { token: "x".repeat(1_000) }])
      expect((await submit(VERIFY, fields as Record<string, string>)).status).toBe(400);
  });
});

it("a form post to an endpoint without a page answers 415", async () => {
  const answer = await submit("/auth/signup", {
    email: newEmail(),
    password: PASSWORD,
    consent_tos: "true",
    consent_privacy: "true",
  });
  expect(answer.status).toBe(415);
  expect((await postSignUp(service, signUpBody(newEmail()))).status).toBe(201);
});
