// Prepares the demo store for its screenshots: consent decisions, agent grants, a rejected ERP delivery.
import { newClient, newTokens } from "../tests/support/agents/agent.ts";
import type { Answer, Service } from "../tests/support/service.ts";

/** A running service as the helpers of the tests call it. */
export function serviceAt(url: string, adminKey: string): Service {
  const call: Service["call"] = async (
    method,
    path,
    { body, headers = {}, key = adminKey } = {},
  ) => {
    const sent = typeof body === "string" ? body : JSON.stringify(body);
    const response = await fetch(url + path, {
      method,
      redirect: "manual",
      headers: {
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(key && { Authorization: `Bearer ${key}` }),
        Origin: url,
        ...headers,
      },
      ...(body !== undefined && { body: sent }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: /json/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : undefined,
    } satisfies Answer;
  };
  return { url, call } as Service;
}

type Place = { service: string; sandbox: string; shop: string; adminKey: string };

export async function playScene({ service: url, sandbox, shop, adminKey }: Place): Promise<void> {
  const service = serviceAt(url, adminKey);
  const { call } = service;
  const agents = [
    await newClient(
      service,
      { client_name: "Trail Planner", redirect_uris: ["https://agent.example/callback"] },
      shop,
    ),
    await newClient(
      service,
      { client_name: "Gift Finder", redirect_uris: ["https://agent.example/callback"] },
      shop,
    ),
  ];
  const people = [
    ["Ada", "Lovelace"],
    ["Grace", "Hopper"],
    ["Katherine", "Johnson"],
    ["Mary", "Jackson"],
    ["Hedy", "Lamarr"],
  ] as const;
  for (const [at, [name, lastName]] of people.entries()) {
    const signUp = await call("POST", `/auth/signup?shop=${shop}`, {
      key: null,
      body: {
        email: `${name.toLowerCase()}.${process.pid}@example.com`,
        password: "correct horse battery",
        first_name: name,
        last_name: lastName,
        consent_tos: true,
        consent_privacy: true,
      },
    });
    const { token: key } = signUp.json as { token: string };
    const decide = (body: object) => call("POST", `/auth/consent-sync?shop=${shop}`, { key, body });
    await decide({ consent_cookie: true, consent_marketing: at % 2 === 0, method: "banner" });
    if (at === 2) await decide({ consent_marketing: false, method: "compliance-page" });
    await newTokens(service, agents[at % 2] as string, key, {}, shop);
    if (at < 2) {
      await decide({ consent_ap2: true, method: "compliance-page" });
      await call("POST", `/commerce/mandates?shop=${shop}`, {
        key,
        body: {
          max_amount: "120.00",
          currency: "EUR",
          scope: "all",
          usage: "multi",
          expires_in_hours: 72,
        },
      });
    }
  }
  await fetch(`${sandbox}/_control/fail-next`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ system: "erp", fault: { status: 422 }, times: 1 }),
  });
  for (let at = 1; at <= 3; at += 1)
    await call("POST", `/events/ingest?shop=${shop}&source=manual`, {
      body: {
        event_type: "order.created",
        entity_type: "order",
        entity_id: `gid://shopify/Order/${process.pid}${at}`,
        payload: { total_price: "40.00", currency: "EUR" },
        destinations: ["erpsys", "archive"],
      },
    });
}
