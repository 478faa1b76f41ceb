// A store changes its cell: every table, exactly, in both directions.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Prisma } from "../../../app/generated/prisma/client.ts";
import { startMoveWorker } from "../../../app/domain/tenants/moves/move-worker.ts";
import { cancelMove, getMove } from "../../../app/domain/tenants/moves/move-record.ts";
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
import { eventually, OTHER_SHOP, SHOP } from "../../support/service.ts";

let cells: Cells;
let worker: Awaited<ReturnType<typeof startMoveWorker>>;
let reached: (step: string) => void | Promise<void> = () => {};
const models = Object.values(Prisma.ModelName);
type Delegate = { create(args: { data: object }): Promise<unknown> };

beforeAll(async () => {
  // Only the worker of moves runs: the others would work on the rows.
  cells = await startCells({ env: { WORKER_POLL_MS: "50" } });
  worker = await startMoveWorker(cells.service.ctx, { reached: (step) => reached(step) });
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

describe("a move ends as failed, and no row is deleted", () => {
  const move = async (shop: string, to: string) =>
    untilEnded(cells.service, (await requestMove(cells.service.ctx, shop, to)).id);

  test("when the target has rows of the store that no move left there", async () => {
    const { service, eu } = cells;
    const strange =
      "INSERT INTO crm_tags (shop, id, name, slug) VALUES ($1, 99, 'Strange', 'strange')";
    await eu.query(strange, [OTHER_SHOP]);
    const before = [
      await rowsOfStore(service.database, OTHER_SHOP),
      await rowsOfStore(eu, OTHER_SHOP),
    ];
    const moved = await move(OTHER_SHOP, "eu");
    expect(moved).toMatchObject({
      state: "failed",
      error: expect.stringMatching(/cell eu has rows of the store in crm_tags/),
    });
    expect([
      await rowsOfStore(service.database, OTHER_SHOP),
      await rowsOfStore(eu, OTHER_SHOP),
    ]).toEqual(before);
    await eu.query("DELETE FROM crm_tags WHERE shop = $1", [OTHER_SHOP]);
  });

  test("when the source had rows, and both sides are empty at the comparison", async () => {
    const { service, eu } = cells;
    const shop = "emptied-store.myshopify.com";
    await service.addTenant(shop);
    await service.database.query(
      "INSERT INTO crm_tags (shop, id, name, slug) VALUES ($1, 1, 'First', 'first')",
      [shop],
    );
    reached = async (step) => {
      if (step === "catch_up")
        await service.database.query("DELETE FROM crm_tags WHERE shop = $1", [shop]);
    };
    const moved = await move(shop, "eu");
    reached = () => {};
    expect(moved).toMatchObject({
      state: "failed",
      error: expect.stringMatching(/has no rows of the store any more/),
    });
    expect(moved.progress).not.toHaveProperty("had_rows");
    expect(await rowsOfStore(eu, shop)).toEqual({});
    // The guards of the store that moved back a while ago.
    await expectNothingLeft(eu, { guards: 1 });
  });

  test("after five unexpected errors in a row, and refers to the log", async () => {
    const { service, eu } = cells;
    const before = await rowsOfStore(service.database, OTHER_SHOP);
    reached = (step) => {
      if (step === "prepare") throw new Error("a mistake of this service");
    };
    const { id } = await requestMove(service.ctx, OTHER_SHOP, "eu");
    await eventually("the first error", async () =>
      (await getMove(service.ctx, id)).progress.waits_for?.includes("after an error"),
    );
    // The attempts between would only wait.
    await service.database.query(
      "UPDATE store_moves SET attempts = 4, next_attempt_at = clock_timestamp() WHERE id = $1",
      [id],
    );
    const moved = await untilEnded(service, id);
    reached = () => {};
    expect(moved).toMatchObject({
      state: "failed",
      error: "An unexpected error: the service's log says which.",
    });
    expect(await rowsOfStore(service.database, OTHER_SHOP)).toEqual(before);
    expect(await rowsOfStore(eu, OTHER_SHOP)).toEqual({});
  });
});

test("what an earlier attempt of a move left at the target is replaced by the store's rows", async () => {
  const { service, eu } = cells;
  const { id } = await requestMove(service.ctx, OTHER_SHOP, "eu");
  await untilEnded(service, id);
  const before = await rowsOfStore(eu, OTHER_SHOP);
  // The cell that the store left says so, and what is there belongs to no store.
  await service.database.query(
    `WITH working AS (SELECT set_config('store_moves.working_on', $1, true))
     INSERT INTO crm_tags (shop, id, name, slug) SELECT $1, 99, 'Late', 'late' FROM working`,
    [OTHER_SHOP],
  );
  const back = await requestMove(service.ctx, OTHER_SHOP, "default");
  expect(await untilEnded(service, back.id)).toMatchObject({ state: "done" });
  expect(await rowsOfStore(service.database, OTHER_SHOP)).toEqual(before);
});

test("a target that refuses rows is shown as what the move waits for, before the move is given up", async () => {
  const { service, eu } = cells;
  await eu.query(
    `CREATE FUNCTION refuse_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no space left'; END $$`,
  );
  await eu.query(
    "CREATE TRIGGER refuse_row BEFORE INSERT ON crm_tags FOR EACH ROW EXECUTE FUNCTION refuse_row()",
  );
  await eu.query("ALTER TABLE crm_tags ENABLE ALWAYS TRIGGER refuse_row");
  const { id } = await requestMove(service.ctx, OTHER_SHOP, "eu");
  await eventually(
    "the refusal",
    async () =>
      /refused rows .* of 3 attempts/.test(
        (await getMove(service.ctx, id)).progress.waits_for ?? "",
      ),
    30_000,
  );
  await cancelMove(service.ctx, id);
  expect(await untilEnded(service, id)).toMatchObject({ state: "cancelled" });
  await eu.query("DROP FUNCTION refuse_row CASCADE");
});

test("a move goes on after the connection between the two servers is lost", async () => {
  const { service, eu } = cells;
  await eu.query(
    "CREATE FUNCTION wait_with_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(2); RETURN NEW; END $$",
  );
  for (const table of ["crm_tags", "mandates", "storefront_users"]) {
    await eu.query(
      `CREATE TRIGGER wait_with_row BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION wait_with_row()`,
    );
    await eu.query(`ALTER TABLE ${table} ENABLE ALWAYS TRIGGER wait_with_row`);
  }
  const before = await rowsOfStore(service.database, OTHER_SHOP);
  const { id } = await requestMove(service.ctx, OTHER_SHOP, "eu");
  // The stream and two tables that are being copied: Postgres counts three errors for one loss.
  const senders = "backend_type = 'walsender' AND datname = current_database()";
  await eventually("the copy of two tables", async () => {
    const [row] = await service.database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${senders}`,
    );
    return row?.n === 3;
  });
  await service.database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${senders}`,
  );
  expect(await untilEnded(service, id)).toMatchObject({ state: "done", error: null });
  expect(await rowsOfStore(eu, OTHER_SHOP)).toEqual(before);
  await eu.query("DROP FUNCTION wait_with_row CASCADE");
});
