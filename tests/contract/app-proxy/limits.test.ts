// Behind the storefront's app proxy all visitors of a store share the platform's address: each is rate
// limited by the address that the proxy added, so that one visitor does not use up another's limit.
// RATE_LIMIT_SCALE makes 60 a minute 3.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startConsentService, type ConsentService } from "../../support/consent.ts";
import { signUp } from "../identity/people.ts";
import { proxied } from "../../support/browser/shopper-pages.ts";
import { SHOP } from "../../support/service.ts";

const PLATFORM = "203.0.113.65";
let service: ConsentService;
beforeAll(async () => {
  service = await startConsentService({
    env: { RATE_LIMIT_SCALE: "0.05", TRUST_PROXY_HOPS: "1" },
  });
});
afterAll(() => service.stop());

const CHOICE = { method: "banner", consent_cookie: true };
async function choose(forwarded: string, customer = ""): Promise<number> {
  const answer = await fetch(proxied(service, "/auth/consent-sync", customer), {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Forwarded-For": forwarded },
    body: JSON.stringify(CHOICE),
  });
  return answer.status;
}
const times = async (n: number, act: () => Promise<number>): Promise<number[]> => {
  const statuses = [];
  for (let done = 0; done < n; done += 1) statuses.push(await act());
  return statuses;
};

describe("visitors behind the app proxy", () => {
  it("are limited by their own address, whatever they write before it; other visitors are unaffected", async () => {
    let made = 0;
    const statuses = await times(4, () =>
      choose(`198.51.100.${(made += 1)}, 192.0.2.7, ${PLATFORM}`),
    );
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect(await choose(`192.0.2.8, ${PLATFORM}`)).toBe(200);
  });

  it("who are customers of the store are limited by their customer id", async () => {
    const statuses = await times(16, () => choose(`192.0.2.9, ${PLATFORM}`, "77"));
    expect(statuses).toEqual([...Array.from({ length: 15 }, () => 200), 429]);
    expect(await choose(`192.0.2.9, ${PLATFORM}`, "78")).toBe(200);
  });
});

describe("a signed-in shopper", () => {
  it("appends at most 15 consent changes a minute here, 300 unscaled", async () => {
    const { token } = await signUp(service);
    const statuses = await times(16, async () => {
      const answer = await service.call("POST", `/auth/consent-sync?shop=${SHOP}`, {
        key: token,
        body: CHOICE,
      });
      return answer.status;
    });
    expect(statuses).toEqual([...Array.from({ length: 15 }, () => 200), 429]);
  });
});
