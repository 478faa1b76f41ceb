// The secrets that prove a session token of the store admin, while the app's secret changes.
import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { storeGrant } from "../../../app/domain/tenants/storefront/access-token.ts";
import {
  ADMIN_KEY,
  APP_SECRET,
  CLIENT_ID,
  SHOP,
  startService,
  type Service,
} from "../../support/service.ts";

const NEW_SECRET = "the-secret-after-the-rotation";
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0.0.0 Safari/537.36";

let service: Service;
beforeAll(async () => {
  service = await startService({ withScreens: true });
  await service.addTenant(SHOP);
  const grant = service.sandbox.storefront.install(SHOP);
  await storeGrant(service.ctx, SHOP, {
    accessToken: grant.access_token,
    refreshToken: grant.refresh_token ?? null,
    expiresIn: 3_600,
    scopes: [],
  });
});
afterAll(() => service.stop());

/** The answer to a screen's data, asked for with a session token that this secret signed. */
async function openWith(secret: string): Promise<number> {
  const token = await new SignJWT({ dest: `https://${SHOP}` })
    .setProtectedHeader({ alg: "HS256" })
    .setIssuer(`https://${SHOP}/admin`)
    .setAudience(CLIENT_ID)
    .setSubject("7")
    .setJti(randomUUID())
    .setIssuedAt()
    .setNotBefore("0s")
    .setExpirationTime("1m")
    .sign(new TextEncoder().encode(secret));
  const { status } = await fetch(`${service.url}/app/tags.data?shop=${SHOP}`, {
    headers: { Authorization: `Bearer ${token}`, "User-Agent": BROWSER },
  });
  return status;
}

const setSecret = (secret: string | null) =>
  service.call("POST", "/platform/config", {
    key: ADMIN_KEY,
    body: { platform_app_secret: secret },
  });

it("a removed secret opens no screen, also in a process that served the store with it before", async () => {
  expect([await openWith(APP_SECRET), await openWith(NEW_SECRET)]).toEqual([200, 401]);
  expect((await setSecret(NEW_SECRET)).status).toBe(200);
  expect([await openWith(NEW_SECRET), await openWith(APP_SECRET)]).toEqual([200, 200]);
  expect((await setSecret(null)).status).toBe(200);
  expect([await openWith(NEW_SECRET), await openWith(APP_SECRET)]).toEqual([401, 200]);
});
