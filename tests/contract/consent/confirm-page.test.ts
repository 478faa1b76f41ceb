import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startConsentService, syncAnonymous, type ConsentService } from "../../support/consent.ts";
import { eventually, OTHER_SHOP, SHOP } from "../../support/service.ts";

let service: ConsentService;
beforeAll(async () => {
  service = await startConsentService({ background: true });
});
afterAll(() => service.stop());

async function mailedLink(
  email: string,
  choice: Record<string, unknown> = { form_type: "newsletter", consent_marketing: true },
): Promise<string> {
  const before = service.sandbox.email.mailsTo(email).length;
  await syncAnonymous(service, { method: "newsletter_form", ...choice, email });
  const mail = await eventually(
    "the mail",
    () => service.sandbox.email.mailsTo(email).length > before && newestMail(email),
  );
  const link = new URL(/http\S+/.exec(mail.text ?? "")?.[0] ?? "");
  return link.pathname + link.search;
}

const newestMail = (email: string) => service.sandbox.email.mailsTo(email).at(-1);

const flagsOf = (email: string) =>
  service.database.query(
    "SELECT consent_marketing FROM user_claims JOIN storefront_users u ON u.id = user_id WHERE email = $1",
    [email],
  );
const press = (path: string, token: string) =>
  service.call("POST", path, {
    body: new URLSearchParams({ token }).toString(),
    key: null,
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
  });

describe("the page behind a mailed confirmation link", () => {
  it("works without script: it opens, its button is pressed, and the choice is confirmed", async () => {
    const path = await mailedLink("page@example.com");
    const page = await service.call("GET", path, { key: null });
    expect([page.status, page.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    expect(page.text).not.toMatch(/<script/i);
    // Mail scanners open every link: opening it changes nothing.
    expect(await flagsOf("page@example.com")).toEqual([{ consent_marketing: false }]);
    const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? "";
    const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    const done = await press(action, token);
    expect([done.status, done.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    expect(await flagsOf("page@example.com")).toEqual([{ consent_marketing: true }]);
    expect((await press(action, token)).status).toBe(400);
  });

  it("says whether a refusal declines or withdraws, and names the form in words", async () => {
    const email = "outcomes@example.com";
    const shown = async (choice: Record<string, unknown>) => {
      const path = await mailedLink(email, choice);
      const { text } = await service.call("GET", path, { key: null });
      const token = new URLSearchParams(path.split("?")[1]).get("token") ?? "";
      await press(`/auth/consent-confirm?shop=${SHOP}`, token);
      return [...text.matchAll(/<li>(.*?)<\/li>/g)].map(([, line]) => line);
    };
    expect(await shown({ consent_marketing: false })).toEqual(["Marketing messages: Declined"]);
    expect(await shown({ consent_marketing: true, form_type: "spring_club" })).toEqual([
      "Marketing messages: Granted",
      "Subscription: Spring club",
    ]);
    expect(await shown({ consent_marketing: false, consent_cookie: false })).toEqual([
      "Analytics: Declined",
      "Marketing messages: Withdrawn",
    ]);
  });

  it("grants what it names and nothing else, whatever is stored behind the link", async () => {
    const email = "stored@example.com";
    const path = await mailedLink(email);
    const changed = await service.database.query(
      `UPDATE kv SET value = jsonb_set(value, '{submission,flags}', value#>'{submission,flags}'
        || '{"a2a": true, "ap2": true}') WHERE key LIKE 'consent_link:%' AND value->>'user_id' =
        (SELECT id::text FROM storefront_users WHERE email = $1) RETURNING key`,
      [email],
    );
    expect(changed).toHaveLength(1);
    const { text } = await service.call("GET", path, { key: null });
    expect([...text.matchAll(/<li>(.*?)<\/li>/g)].map(([, line]) => line)).toEqual([
      "Marketing messages: Granted",
      "Subscription: Newsletter",
    ]);
    const token = new URLSearchParams(path.split("?")[1]).get("token") ?? "";
    expect((await press(`/auth/consent-confirm?shop=${SHOP}`, token)).status).toBe(200);
    expect(
      await service.database.query(
        `SELECT consent_marketing, consent_a2a, consent_ap2 FROM user_claims
          JOIN storefront_users u ON u.id = user_id WHERE email = $1`,
        [email],
      ),
    ).toEqual([{ consent_marketing: true, consent_a2a: false, consent_ap2: false }]);
  });

  it("forbids framing, caching and sending its address to other sites", async () => {
    const page = await service.call("GET", `/auth/consent-confirm?shop=${SHOP}&token=x`, {
      key: null,
    });
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect([page.headers.get("cache-control"), page.headers.get("referrer-policy")]).toEqual([
      "no-store",
      "same-origin",
    ]);
  });

  it("escapes its query parameters", async () => {
    const page = await service.call(
      "GET",
      `/auth/consent-confirm?shop=${SHOP}&token=${encodeURIComponent('"><script>alert(1)</script>')}`,
      { key: null },
    );
    expect(page.text).not.toContain("<script>");
  });

  it("explains what to do without a valid link, also at another store", async () => {
    const path = await mailedLink("else@example.com");
    const token = new URLSearchParams(path.split("?")[1]).get("token") ?? "";
    for (const [shop, sent] of [
      [OTHER_SHOP, token],
      [SHOP, "made-up"],
      [SHOP, ""],
    ] as const) {
      const answer = await press(`/auth/consent-confirm?shop=${shop}`, sent);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([
        400,
        "text/html; charset=utf-8",
      ]);
    }
    expect(await flagsOf("else@example.com")).toEqual([{ consent_marketing: false }]);
  });

  it("of an unknown store answers 404", async () => {
    expect(
      (
        await service.call("GET", "/auth/consent-confirm?shop=nobody.myshopify.com&token=x", {
          key: null,
        })
      ).status,
    ).toBe(404);
  });
});
