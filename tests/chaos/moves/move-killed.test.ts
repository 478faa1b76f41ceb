// The worker of a move dies at every step, and another one goes on where it was. A death is an error that the
// machine does not handle: its connections end, its lease runs out, and it writes nothing more.
import { spawn, type ChildProcess } from "node:child_process";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { toAppError } from "../../../app/http/error-response.ts";
import { LeaseLost } from "../../../app/runtime/database/queue/lease.ts";
import { cancelMove, getMove, storeMoves } from "../../../app/domain/tenants/moves/move-record.ts";
import type { MoveOptions } from "../../../app/domain/tenants/moves/move-run.ts";
import { requestMove } from "../../../app/domain/tenants/moves/request-move.ts";
import { runMove } from "../../../app/domain/tenants/moves/run-move.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { expectNothingLeft, rowsOfStore, startCells, type Cells } from "../../support/moves.ts";
import { eventually, SHOP, testEnvironment } from "../../support/service.ts";

let cells: Cells;

beforeAll(async () => {
  cells = await startCells();
  await cells.service.addTenant(SHOP);
  await cells.service.database.query(
    "INSERT INTO storefront_users (shop, email) SELECT $1, 'person-' || n || '@store.example' FROM generate_series(1, 200) n",
    [SHOP],
  );
});
afterAll(() => cells.stop());
beforeEach(async () => {
  await cells.service.database.query("UPDATE store_moves SET next_attempt_at = now()");
});

/** What the worker does with one claim, as if the lease of a dead one had run out. */
async function workOnce(id: string, options: MoveOptions = {}): Promise<void> {
  const { ctx, database } = cells.service;
  await database.query(
    "UPDATE store_moves SET locked_until = now() - interval '1 second', next_attempt_at = now() WHERE id = $1",
    [id],
  );
  const [row] = await storeMoves.claim(ctx.home, 1);
  if (!row) throw new Error("there is no move to work");
  await runMove(ctx, { ...row, token: row.attempt_token }, new AbortController().signal, options);
}

const dieAt = (step: string): MoveOptions => ({
  reached: (reached) => {
    if (reached === step) throw new LeaseLost(`killed at ${step}`);
  },
});

describe("a move whose worker is killed", () => {
  test("at every step in turn ends with every row in the new cell, and nothing in the old one", async () => {
    const { service, eu } = cells;
    const before = await rowsOfStore(service.database);
    const { id } = await requestMove(service.ctx, SHOP, "eu");
    for (const step of ["prepare", "copy", "catch_up", "barrier", "sealed", "clean"]) {
      await expect(workOnce(id, dieAt(step))).rejects.toThrow(`killed at ${step}`);
      if (step === "sealed") {
        const { sql, prisma } = service.ctx.home.forTenant(SHOP);
        for (const write of [
          sql("UPDATE storefront_users SET full_name = 'refused' WHERE shop = $1"),
          prisma.storefrontUser.updateMany({ data: { full_name: "refused" } }),
          prisma.crmTag.create({ data: { shop: SHOP, name: "Refused", slug: "refused" } }),
        ]) {
          const error = toAppError(
            await write.then(
              () => null,
              (refusal: unknown) => refusal,
            ),
          );
          expect([error?.code, error?.status, error?.headers]).toEqual([
            "store_moving",
            503,
            { "Retry-After": "1" },
          ]);
        }
        expect((await getTenant(service.ctx, SHOP)).region).toBe("default");
      }
    }
    expect((await getTenant(service.ctx, SHOP)).region).toBe("eu");
    await workOnce(id);
    expect(await getMove(service.ctx, id)).toMatchObject({ state: "done", error: null });
    expect(await rowsOfStore(eu)).toEqual(before);
    expect(await rowsOfStore(service.database)).toEqual({});
    await expectNothingLeft(eu);
    await expectNothingLeft(service.database, { guards: 1 });
    // A process that still has the store's old record.
    await expect(
      service.ctx.home
        .forTenant(SHOP)
        .sql("INSERT INTO storefront_users (shop, email) VALUES ($1, 'late@store.example')"),
    ).rejects.toMatchObject({ code: "SM001" });
  });
});

describe("a move whose database is lost in the first step", () => {
  test.each(["default", "eu"])(
    "waits for the cell %s, and goes on when it is back",
    async (cell) => {
      const { service } = cells;
      const { id } = await requestMove(service.ctx, SHOP, "default");
      const urls = service.ctx.config.directDatabaseUrls as Record<string, string>;
      const url = urls[cell] as string;
      await workOnce(id, {
        reached: (step) => {
          if (step === "prepare") urls[cell] = "postgresql://127.0.0.1:1/away";
        },
      });
      urls[cell] = url;
      expect(await getMove(service.ctx, id)).toMatchObject({
        state: "waiting",
        step: "prepare",
        error: null,
        progress: { waits_for: `the database of the cell ${cell} does not answer` },
      });
      await expect(workOnce(id, dieAt("copy"))).rejects.toThrow("killed at copy");
      await cancelMove(service.ctx, id);
      await workOnce(id);
      expect(await getMove(service.ctx, id)).toMatchObject({ state: "cancelled" });
    },
  );
});

describe("a move back that cannot be finished", () => {
  test("for a copy that differs is undone: the store stays, and is written again", async () => {
    const { service, eu } = cells;
    const before = await rowsOfStore(eu);
    const { id } = await requestMove(service.ctx, SHOP, "default");
    await workOnce(id, {
      reached: async (step) => {
        if (step === "barrier")
          await service.database.query(
            "UPDATE storefront_users SET full_name = 'damaged' WHERE shop = $1 AND email = 'person-7@store.example'",
            [SHOP],
          );
      },
    });
    expect(await getMove(service.ctx, id)).toMatchObject({
      state: "failed",
      error: expect.stringContaining("storefront_users: the contents of its 200 rows differ"),
    });
    expect((await getTenant(service.ctx, SHOP)).region).toBe("eu");
    expect(await rowsOfStore(eu)).toEqual(before);
    expect(await rowsOfStore(service.database)).toEqual({});
    for (const database of [eu, service.database]) await expectNothingLeft(database);
    await service.ctx.regions
      .get("eu")
      .forTenant(SHOP)
      .sql("UPDATE storefront_users SET full_name = 'Written again' WHERE shop = $1");
  });

  test("is cancelled, even when its worker died and its target is away; of a large store a pair of snapshots is compared before", async () => {
    const { service, eu } = cells;
    const { id } = await requestMove(service.ctx, SHOP, "default");
    const steps: string[] = [];
    await expect(
      workOnce(id, {
        checkBudgetMs: 0,
        reached: (step) => {
          steps.push(step);
          if (step === "barrier") throw new LeaseLost("killed at barrier");
        },
      }),
    ).rejects.toThrow("killed");
    expect(steps).toEqual(["prepare", "copy", "catch_up", "verify", "barrier"]);
    // The target is away: the move waits, and can still be cancelled.
    const urls = service.ctx.config.directDatabaseUrls as Record<string, string>;
    const url = urls.default as string;
    urls.default = "postgresql://127.0.0.1:1/away";
    await workOnce(id);
    expect(await getMove(service.ctx, id)).toMatchObject({
      state: "waiting",
      progress: { waits_for: "the database of the cell default does not answer" },
    });
    expect((await cancelMove(service.ctx, id)).state).toBe("waiting");
    await workOnce(id);
    urls.default = url;
    expect(await getMove(service.ctx, id)).toMatchObject({ state: "cancelled" });
    await expect(cancelMove(service.ctx, id)).rejects.toMatchObject({ code: "move_finished" });
    await expectNothingLeft(eu);
  });

  test("because its target was away leaves rows there, which the next move begins by deleting", async () => {
    const { service, eu } = cells;
    const before = await rowsOfStore(eu);
    expect(Object.keys(await rowsOfStore(service.database))).toContain("storefront_users");
    const { id } = await requestMove(service.ctx, SHOP, "default");
    await workOnce(id);
    expect(await getMove(service.ctx, id)).toMatchObject({ state: "done" });
    expect(await rowsOfStore(service.database)).toEqual(before);
    await expectNothingLeft(service.database);
    await expectNothingLeft(eu, { guards: 1 });
  });
});

describe("npm run tenant:move", () => {
  const ended = (child: ChildProcess) => new Promise((done) => child.once("close", done));

  test("killed while it copies is continued by the next one, which shows the move until its end", async () => {
    const { service, eu } = cells;
    const before = await rowsOfStore(service.database);
    const { config } = service.ctx;
    const start = () => {
      const child = spawn(process.execPath, ["scripts/tenant-move.ts", SHOP, "eu"], {
        env: {
          ...process.env,
          ...testEnvironment(service.sandbox, service.database.serviceUrl),
          BASE_URL: service.url,
          DIRECT_DATABASE_URL: config.directDatabaseUrls.default,
          DATABASE_URL_EU: config.regionDatabaseUrls.eu,
          DIRECT_DATABASE_URL_EU: eu.url,
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let shown = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (bytes: Buffer) => (shown += bytes.toString()));
      return { child, shown: () => shown };
    };
    const first = start();
    await eventually("the copy", () => /^(copy|catch_up) /m.test(first.shown()));
    first.child.kill("SIGKILL");
    await ended(first.child);
    await service.database.query(
      "UPDATE store_moves SET locked_until = now() WHERE state = 'running'",
    );
    const second = start();
    expect(await ended(second.child)).toBe(0);
    expect(second.shown()).toContain(`done: ${SHOP} from default to eu`);
    expect(second.shown()).not.toContain("postgres://");
    expect(await rowsOfStore(eu)).toEqual(before);
    expect(await rowsOfStore(service.database)).toEqual({});
    await expectNothingLeft(service.database, { guards: 1 });
  });
});
