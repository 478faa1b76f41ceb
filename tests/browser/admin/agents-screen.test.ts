// The merchant's agents screens in a real browser against the whole service: a change there takes
// effect for agents at once.
import { beforeAll, expect, test } from "vitest";
import { flushAgentCalls } from "../../../app/domain/agent-activity/record-agent-call.ts";
import { reserve } from "../../../app/domain/commerce/mandate-ledger.ts";
import { dataOf, getTenant } from "../../../app/domain/tenants/tenant.ts";
import { newClient, newTokens, type Tokens } from "../../support/agents/agent.ts";
import { signUp, syncAs, type Person } from "../../support/consent.ts";
import { expectHealthyPage, useMerchant } from "../../support/browser/merchant.ts";
import { askAs } from "../../support/browser/screens-server.ts";
import { chooseFilter, typeFilter } from "../../support/browser/filters.ts";
import { OTHER_SHOP, SHOP, type Answer } from "../../support/service.ts";

const app = useMerchant();
beforeAll(async () => {
  await app.connect(SHOP, { withSystems: true });
  await app.connect(OTHER_SHOP, { withSystems: true });
});

const asAgent = ({ access_token: key }: Tokens): Promise<Answer> =>
  app.call("GET", `/auth/me?shop=${SHOP}`, { key });

async function letIn(name: string, people: number): Promise<{ client: string; tokens: Tokens[] }> {
  const client = await newClient(app, { client_name: name });
  const tokens: Tokens[] = [];
  for (let at = 0; at < people; at += 1)
    tokens.push(await newTokens(app, client, (await signUp(app)).token));
  return { client, tokens };
}

async function giveMandate(amount: string, shop = SHOP): Promise<{ person: Person; id: string }> {
  const person = await signUp(app, {}, shop);
  await syncAs(app, person, { consent_ap2: true }, { shop });
  const answer = await app.call("POST", `/commerce/mandates?shop=${shop}`, {
    key: person.token,
    body: { max_amount: amount, currency: "EUR", scope: "all", usage: "multi" },
  });
  expect(answer.status).toBe(201);
  return { person, id: answer.json.mandate_id };
}

test("a store without linked agents sees the discovery documents and links to them", async () => {
  const EMPTY = "agentless-store.myshopify.com";
  await app.connect(EMPTY, { withSystems: true });
  for (const [path, text] of [
    ["/app/agents", "No linked agents"],
    ["/app/agents/mandates", "No mandates yet"],
    ["/app/agents/activity", "No agent calls yet"],
  ] as const) {
    const visit = await app.open(path, { shop: EMPTY });
    await visit.page.getByText(text).waitFor();
    if (path === "/app/agents")
      for (const name of ["Capabilities", "Agent card", "Sign-in of agents"]) {
        const address = await visit.page
          .getByRole("link", { name: new RegExp(`^${name}`) })
          .getAttribute("href");
        expect((await fetch(address ?? "")).status).toBe(200);
      }
    await expectHealthyPage(visit);
    await visit.close();
  }
});

test("linked agents are listed with their shoppers; revoking one revokes its tokens for all shoppers and no other agent's", async () => {
  const trail = await letIn("Trail Planner", 2);
  const peak = await letIn("Peak Finder", 1);
  const visit = await app.open("/app/agents", { shop: SHOP });
  const { page } = visit;
  const row = page.locator(`tr[id="${trail.client}"]`);
  await row.getByText("Trail Planner").waitFor();
  expect(await row.locator("td").nth(1).innerText()).toBe("2");
  expect(await row.innerText()).toContain("read the profile");
  await row.getByText("Redirects to agent.example").waitFor();
  await expectHealthyPage(visit);
  expect((await asAgent(trail.tokens[1] as Tokens)).status).toBe(200);
  await page.getByRole("button", { name: "End access: Trail Planner" }).click();
  await page
    .getByRole("dialog")
    .getByText("The agent immediately loses access to its shoppers (now 2).")
    .waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "End access" }).click();
  await page.getByText("Trail Planner no longer has access").waitFor();
  await row.waitFor({ state: "detached" });
  expect(
    await Promise.all(trail.tokens.map(async (token) => (await asAgent(token)).status)),
  ).toEqual([401, 401]);
  expect((await asAgent(peak.tokens[0] as Tokens)).status).toBe(200);
});

test("the kill switch rejects an agent's next call and accepts the same token again later; shoppers are not affected", async () => {
  const { tokens } = await letIn("Switch Agent", 1);
  const shopper = await signUp(app);
  const visit = await app.open("/app/agents", { shop: SHOP });
  const { page } = visit;
  await page.getByRole("link", { name: "Change in settings" }).click();
  expect((await asAgent(tokens[0] as Tokens)).status).toBe(200);
  await page.getByRole("button", { name: "Turn agent access off" }).click();
  await page.getByRole("dialog").getByText("All agent calls are refused immediately.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  expect((await asAgent(tokens[0] as Tokens)).status).toBe(200);
  await page.getByRole("button", { name: "Turn agent access off" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Turn off" }).click();
  await page.getByText("No agent can act for any shopper.").waitFor();
  const refused = await asAgent(tokens[0] as Tokens);
  expect([refused.status, refused.json.code]).toEqual([403, "agent_access_disabled"]);
  expect((await app.call("GET", `/auth/me?shop=${SHOP}`, { key: shopper.token })).status).toBe(200);
  await page.getByRole("button", { name: "Turn agent access on" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Turn on" }).click();
  await page.getByText("AI agents can act for shoppers who let them").waitFor();
  expect((await asAgent(tokens[0] as Tokens)).status).toBe(200);
});

test("a revoked mandate cannot pay any more; filters find it by state and by customer", async () => {
  const { person, id } = await giveMandate("1250.50");
  const { sql } = dataOf(app.ctx, await getTenant(app.ctx, SHOP));
  const claim = {
    mandateId: id,
    customerId: person.id,
    clientId: null,
    amount: "10.00",
    currency: "EUR",
  };
  await reserve(sql, claim);
  for (let at = 0; at < 25; at += 1) await giveMandate("5.00");
  const visit = await app.open("/app/agents/mandates", { shop: SHOP });
  const { page } = visit;
  expect(await page.locator("tbody tr[id]").count()).toBe(25);
  await page.getByRole("button", { name: "Next page" }).click();
  await page.getByText(person.email).waitFor();
  await page.getByText("1,240.50\u00a0EUR").waitFor();
  await expectHealthyPage(visit);
  await page.getByRole("button", { name: `Revoke: ${person.email}, 1,250.50\u00a0EUR` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke mandate" }).click();
  await page.getByText("Mandate revoked").waitFor();
  await expect(reserve(sql, claim)).rejects.toMatchObject({
    code: "mandate_refused",
    details: { reason: "revoked" },
  });
  await chooseFilter(page, "Status", "Revoked");
  await typeFilter(page, "Customer's email", person.email.toUpperCase());
  await page.waitForURL(/status=revoked/);
  await expect.poll(() => page.locator("tbody tr[id]").count()).toBe(1);
  await chooseFilter(page, "Status", "Active");
  await page.getByText("Nothing matches these filters").waitFor();
});

test("activity shows who asked what for whom and why it was refused; a new call appears without a reload; filters narrow it by clicks", async () => {
  const { client, tokens } = await letIn("Parcel Pilot", 2);
  const [first, second] = tokens as [Tokens, Tokens];
  await asAgent(first);
  await letIn("Quiet Quill", 1);
  await flushAgentCalls(app.ctx);
  const visit = await app.open("/app/agents/activity", { shop: SHOP });
  const { page } = visit;
  const rows = page.locator("tbody tr[id]").filter({ hasText: "Parcel Pilot" });
  await rows.filter({ hasText: "View the profile" }).waitFor();
  await page.getByRole("heading", { name: "Calls in the last 30 days" }).waitFor();
  await page.getByText("No agent order was paid in this period.").waitFor();
  await expectHealthyPage(visit);

  const mandates = `/commerce/mandates?shop=${SHOP}`;
  const refused = await app.call("GET", mandates, { key: second.access_token });
  expect(refused.status).toBe(403);
  const news = rows.filter({ hasText: "View mandates" });
  await news.getByText("The customer didn't give the agent this permission.").waitFor();
  expect(await news.innerText()).toMatch(/person-\d+@example.com/);

  await chooseFilter(page, "Result", "Refused");
  await page.waitForURL(/outcome=refused/);
  await chooseFilter(page, "Agent", "Parcel Pilot");
  await page.waitForURL(new RegExp(`agent=${client}`));
  await expect.poll(() => page.locator("tbody tr[id]").count()).toBe(1);
  await chooseFilter(page, "Area", "Orders");
  await page.getByText("Nothing matches these filters").waitFor();
  await page.getByRole("button", { name: "Clear all" }).click();
  await typeFilter(page, "Customer", "nobody-at-all@example.com");
  await page.getByText("No customer matches this name").waitFor();
  expect(visit.errors).toEqual([]);
  await visit.close();
  const other = await askAs(app, OTHER_SHOP, "/app/agents/activity");
  expect(other.text).not.toContain("Parcel Pilot");
});

test("a mandate shows its agent", async () => {
  const shopper = await signUp(app, {}, SHOP);
  await syncAs(app, shopper, { consent_ap2: true }, { shop: SHOP });
  const client = await newClient(app, { client_name: "Trail Planner" });
  await newTokens(app, client, shopper.token);
  for (const agent_clients of [null, [client]])
    await app.call("POST", `/commerce/mandates?shop=${SHOP}`, {
      key: shopper.token,
      body: { max_amount: "7.00", currency: "EUR", scope: "all", agent_clients },
    });
  const visit = await app.open(`/app/agents/mandates?email=${encodeURIComponent(shopper.email)}`, {
    shop: SHOP,
  });
  const cells = visit.page.locator("tbody tr[id] td:nth-child(2)");
  await expect.poll(() => cells.allInnerTexts()).toEqual(["Trail Planner", "Any linked agent"]);
  await visit.close();
});

test("another store's agents and mandates are not found and do not change", async () => {
  const { client, tokens } = await letIn("Home Agent", 1);
  const { id } = await giveMandate("20.00");
  expect(
    (
      await askAs(app, OTHER_SHOP, "/app/agents?index", {
        intent: "end",
        client_id: client,
      })
    ).status,
  ).toBe(404);
  expect(
    (
      await askAs(app, OTHER_SHOP, "/app/agents/mandates", {
        intent: "revoke",
        mandate_id: id,
      })
    ).status,
  ).toBe(404);
  expect((await askAs(app, OTHER_SHOP, "/app/agents?index", { intent: "nothing" })).status).toBe(
    404,
  );
  expect((await asAgent(tokens[0] as Tokens)).status).toBe(200);
  expect((await app.call("GET", `/commerce/mandates/${id}?shop=${SHOP}`)).json.status).toBe(
    "active",
  );
  const page = await askAs(app, OTHER_SHOP, "/app/agents");
  expect(page.text).not.toContain("Home Agent");
});

test.each([
  ["es", "Pagos por agentes", "/app/agents"],
  ["fr", "Paiements par agents", "/app/agents"],
  ["es", "Mandatos de pago", "/app/agents/mandates"],
  ["fr", "Appels des 30 derniers jours", "/app/agents/activity"],
])("speaks %s, and fits a phone: %s", async (locale, text, path) => {
  const visit = await app.open(path, {
    shop: SHOP,
    locale,
    viewport: { width: 390, height: 800 },
  });
  await visit.page.getByRole("heading", { name: text }).first().waitFor();
  await expectHealthyPage(visit);
});
