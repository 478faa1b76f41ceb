// A store changes its cell: every table, exactly, in both directions.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Prisma } from "../../../app/generated/prisma/client.ts";
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
const models = Object.values(Prisma.ModelName);
type Delegate = { create(args: { data: object }): Promise<unknown> };

beforeAll(async () => {
  cells = await startCells({ background: true, env: { WORKER_POLL_MS: "50" } });
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
afterAll(() => cells.stop());

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
});
