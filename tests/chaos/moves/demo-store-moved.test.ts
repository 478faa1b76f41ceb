// The real process with the sandbox and two cells: its demo store is moved between two starts.
import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyDatabase, freshDatabase } from "../../support/database.ts";
import { startServer } from "../../support/processes/child.ts";
import { useDeployment } from "../../support/processes/deployment.ts";
import { eventually } from "../../support/service.ts";

const { at } = useDeployment();
const DEMO_SHOP = "demo-store.myshopify.com";

test("a demo store in another cell keeps its settings at the next start, and has no row at home", async () => {
  const [home, eu] = [await freshDatabase(), await emptyDatabase()];
  const env = {
    DATA_DIR: join(at.folder, "moved-demo"),
    SANDBOX: "on",
    DEMO: "off",
    DATABASE_URL: home.url,
    DATABASE_URL_EU: eu.url,
  };
  const start = async () => {
    const server = await startServer(env, 60_000);
    const [, key] = await server.line("the admin key", /ADMIN_KEY=(\S+)/);
    const call = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
      const answer = await fetch(server.url + path, {
        method,
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(answer.ok).toBe(true);
      return (await answer.json()) as Answer;
    };
    const moveTo = async (to: string) => {
      const path = `/admin/move-tenant?shop=${DEMO_SHOP}`;
      const { id } = await call<{ id: string }>("POST", path, { to });
      await eventually("the end of the move", async () => {
        const { state } = await call<{ state: string }>("GET", `/admin/moves/${id}`);
        if (state === "failed") throw new Error("the move failed");
        return state === "done";
      });
    };
    return { server, call, moveTo };
  };

  const first = await start();
  await first.call("POST", `/config?shop=${DEMO_SHOP}`, { brand_name: "Saved since" });
  await first.moveTo("eu");
  first.server.signal("SIGTERM");
  expect(await first.server.ended).toBe(0);

  const again = await start();
  const { config } = await again.call<{ config: object }>("GET", `/config?shop=${DEMO_SHOP}`);
  expect(config).toMatchObject({ brand_name: "Saved since", region: "eu" });
  const left = await home.query(
    "SELECT key FROM kv WHERE shop = $1 AND key NOT LIKE 'tenant:%' AND key NOT LIKE 'lease:%'",
    [DEMO_SHOP],
  );
  expect(left).toEqual([]);
  await again.moveTo("default");
  again.server.signal("SIGTERM");
  expect(await again.server.ended).toBe(0);
  await Promise.all([home.drop(), eu.drop()]);
});
