// A store changes its cell: every table, exactly, in both directions.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Prisma } from "../../../app/generated/prisma/client.ts";
import { startMoveWorker } from "../../../app/domain/tenants/moves/move-worker.ts";
import { requestMove } from "../../../app/domain/tenants/moves/request-move.ts";
import { MINIMAL_ROWS } from "../../support/minimal-rows.ts";
import {
  expectNothingLeft,
  rowsOfStore,
  startCells,
  tenantTablesOf,
  untilEnded,
  type Cells,
} from "../../support/moves.ts";
import { OTHER_SHOP, SHOP } from "../../support/service.ts";

let cells: Cells;
let worker: Awaited<ReturnType<typeof startMoveWorker>>;
const models = Object.values(Prisma.ModelName);
type Delegate = { create(args: { data: object }): Promise<unknown> };

beforeAll(async () => {
  // Of the workers only that of moves: the others would work on the rows.
  cells = await startCells({ env: { WORKER_POLL_MS: "50" } });
  worker = await startMoveWorker(cells.service.ctx);
  const { service } = cells;
  for (const shop of [SHOP, OTHER_SHOP]) await service.addTenant(shop);
  for (const shop of [SHOP, OTHER_SHOP]) {
    const { prisma } = service.ctx.home.forTenant(shop);
    await service.database.query(
      "INSERT INTO storefront_users (shop, id, email) VALUES ($1, 1, 'one@store.example'), ($1, 2, 'two@store.example')",
      [shop],
    );
    await service.database.query(
      "INSERT INTO crm_tags (shop, id, name, slug) VALUES ($1, 1, 'First', 'first')",
      [shop],
    );
    for (const model of models) {
      if (["StoreMove", "HeldStore", "PublicHost"].includes(model)) continue;
      const name = model.charAt(0).toLowerCase() + model.slice(1);
      const delegate = (prisma as unknown as Record<string, Delegate>)[name] as Delegate;
      await delegate.create({ data: { shop, ...MINIMAL_ROWS[model] } });
    }
  }
});
afterAll(async () => {
  await worker.stop();
  await cells.stop();
});

describe("a store with rows in every table", () => {
  test("has them all in the new cell, unchanged, and none in the old one; its neighbour stays", async () => {
    const { service, eu } = cells;
    const before = await rowsOfStore(service.database);
    const neighbour = await rowsOfStore(service.database, OTHER_SHOP);
    const moved = await untilEnded(service, (await requestMove(service.ctx, SHOP, "eu")).id);
    expect(moved).toMatchObject({ state: "done", step: "done", error: null });
    const after = await rowsOfStore(eu);
    expect(Object.keys(after).length).toBeGreaterThan(30);
    expect(after).toEqual(before);
    expect(await rowsOfStore(service.database)).toEqual({});
    expect(await rowsOfStore(service.database, OTHER_SHOP)).toEqual(neighbour);
    expect(await rowsOfStore(eu, OTHER_SHOP)).toEqual({});
    await expectNothingLeft(eu);
    await expectNothingLeft(service.database, { guards: 1 });
    expect(await tenantTablesOf(eu)).toEqual(await tenantTablesOf(service.database));
  });

  test("is moved back by provision-region, which answers when it has moved", async () => {
    const { service, eu } = cells;
    const before = await rowsOfStore(eu);
    const answer = await service.call("POST", `/admin/provision-region?shop=${SHOP}`, {
      body: { region: "default" },
    });
    expect([200, 202]).toContain(answer.status);
    expect(answer.json).toMatchObject({
      ok: true,
      shop: SHOP,
      region: "default",
      tables: expect.any(Number),
    });
    if (answer.status === 202) await untilEnded(service, answer.json.move.id as string);
    expect(await rowsOfStore(service.database)).toEqual(before);
    expect(await rowsOfStore(eu)).toEqual({});
    // A new row never takes the id of one that came along, in either cell.
    const { prisma } = service.ctx.home.forTenant(SHOP);
    const made = await prisma.storefrontUser.create({
      data: { shop: SHOP, email: "new@store.example" },
    });
    expect(made.id).toBeGreaterThan(7);
  });
});
