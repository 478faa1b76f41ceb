import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  OTHER_SHOP,
  RETURN_ORIGIN,
  SHOP,
  startService,
  type Answer,
  type Service,
} from "../../../support/service.ts";
import { databaseSnapshot, signUp, type Person } from "../people.ts";

let service: Service;
let ada: Person;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP, { allowed_origins: ["https://partner.example"] });
  await service.addTenant(OTHER_SHOP, {
    allowed_origins: ["https://other.example"],
    auth_redirect_origin: "https://other-shop.example",
  });
  ada = await signUp(service);
});
afterAll(() => service.stop());

const cookieOf = (person: Person) => `__Host-crm_session=${person.token}`;
const byCookie = (
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<Answer> =>
  service.call(method, path, {
    key: null,
    headers: { cookie: cookieOf(ada), ...headers },
    ...(body !== undefined && { body }),
  });

const CHANGES: [string, string, unknown][] = [
  ["PATCH", "/auth/profile", { first_name: "Eve" }],
  ["DELETE", "/auth/me", { password: "correct horse battery" }],
  ["POST", "/auth/logout", {}],
];

describe("the session cookie", () => {
  it("authenticates reads without an Origin header and beside other cookies", async () => {
    expect((await byCookie("GET", "/auth/me")).json.user.id).toBe(ada.id);
    expect(
      (await byCookie("GET", "/auth/profile", { cookie: `a=b; ${cookieOf(ada)}; c="d=e"` })).status,
    ).toBe(200);
    expect(
      (await byCookie("GET", "/auth/me", { cookie: `x__Host-crm_session=${ada.token}` })).status,
    ).toBe(401);
  });

  it.each(CHANGES)(
    "%s %s without an origin, from a foreign one, another store's, a look-alike and `null` answers 403 and changes nothing",
    async (method, path, body) => {
      const before = await databaseSnapshot(service.database);
      const origins = [
        undefined,
        "null",
        "https://evil.example",
        "https://other.example",
        `https://${OTHER_SHOP}`,
        `https://${SHOP}.evil.example`,
        `http://${SHOP}`,
        `https://${SHOP}:8443`,
        `${RETURN_ORIGIN}/`,
        `${RETURN_ORIGIN}, https://evil.example`,
      ];
      for (const origin of origins) {
        const answer = await byCookie(method, path, origin ? { origin } : {}, body);
        expect([origin, answer.status, answer.json.code]).toEqual([
          origin,
          403,
          "origin_not_allowed",
        ]);
        expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      }
      expect(await databaseSnapshot(service.database)).toEqual(before);
    },
  );

  it.each(CHANGES)(
    "%s %s as a form or as text answers 415 even from the store's own origin, and changes nothing",
    async (method, path) => {
      const before = await databaseSnapshot(service.database);
      for (const type of [
        "application/x-www-form-urlencoded",
        "text/plain",
        "multipart/form-data; boundary=x",
        "application/jsonx",
      ]) {
        expect(
          (
            await byCookie(
              method,
              path,
              { origin: RETURN_ORIGIN, "Content-Type": type },
              '{"first_name":"Eve"}',
            )
          ).status,
        ).toBe(415);
      }
      expect((await byCookie(method, path, { origin: RETURN_ORIGIN })).status).toBe(415);
      expect(await databaseSnapshot(service.database)).toEqual(before);
    },
  );

  it("authenticates writes from the store, the sign-in return origin, a listed origin and the service itself, each echoed exactly in CORS", async () => {
    for (const origin of [
      `https://${SHOP}`,
      RETURN_ORIGIN,
      "https://partner.example",
      service.url,
    ]) {
      const answer = await byCookie(
        "PATCH",
        "/auth/profile",
        { origin, "Content-Type": "application/json; charset=utf-8" },
        { first_name: "Ada" },
      );
      expect([origin, answer.status]).toEqual([origin, 200]);
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      expect(answer.headers.get("access-control-allow-credentials")).toBe("true");
      expect(answer.headers.get("vary")).toBe("Origin");
    }
  });

  it("needs no Origin header when a bearer token names the same session", async () => {
    expect(
      (
        await byCookie(
          "PATCH",
          "/auth/profile",
          { authorization: `Bearer ${ada.token}` },
          { first_name: "Ada" },
        )
      ).status,
    ).toBe(200);
    expect(
      (
        await service.call("PATCH", "/auth/profile", {
          key: ada.token,
          body: { first_name: "Ada" },
          headers: { origin: "https://evil.example" },
        })
      ).status,
    ).toBe(200);
  });

  it("together with a contradicting bearer token answers 401, whichever people they belong to", async () => {
    const bob = await signUp(service);
    const there = await signUp(service, {}, OTHER_SHOP);
    for (const bearer of [bob.token, there.token, "a.b.c"]) {
      const answer = await byCookie("GET", "/auth/me", { authorization: `Bearer ${bearer}` });
      expect([answer.status, answer.json.error]).toEqual([401, "Unauthorized"]);
    }
  });

  it("of one store answers 401 at another", async () => {
    expect((await byCookie("GET", `/auth/me?shop=${OTHER_SHOP}`)).status).toBe(401);
    expect(
      (
        await byCookie(
          "PATCH",
          `/auth/profile?shop=${OTHER_SHOP}`,
          { origin: "https://other.example" },
          { first_name: "Eve" },
        )
      ).status,
    ).toBe(401);
  });

  it("has no effect on preflights, and a foreign origin's preflight allows nothing", async () => {
    const ask = (origin: string) =>
      service.call("OPTIONS", `/auth/profile?shop=${SHOP}`, {
        key: null,
        headers: { origin, "Access-Control-Request-Method": "PATCH" },
      });
    expect((await ask(RETURN_ORIGIN)).headers.get("access-control-allow-methods")).toContain(
      "PATCH",
    );
    expect(
      (await ask("https://evil.example")).headers.get("access-control-allow-origin"),
    ).toBeNull();
  });
});
