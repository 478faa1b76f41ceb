// The hashing queue is shared by all stores fairly: one store's load must not starve the others.
import { pbkdf2Sync } from "node:crypto";
import { availableParallelism } from "node:os";
import { expect, it } from "vitest";
import { derive } from "../../../app/domain/identity/password/password-hasher.ts";

const SALT = Buffer.from("a salt of 16 byt");
const GREEDY = "greedy-store.myshopify.com";
const QUIET = "quiet-store.myshopify.com";

type Task = { shop: string; done: Promise<"derived" | "busy"> };

/** Starts tasks of one store; `order` receives the store's name each time one of them ends. */
function flood(shop: string, count: number, iterations: number, order: string[] = []): Task[] {
  return Array.from({ length: count }, (_, index) => {
    const task = { shop, password: `password ${index}`, salt: SALT, iterations };
    // A rejection may be synchronous or asynchronous.
    const done = (async () => derive(task))().then(
      (hash) => {
        // Computed a second time for some only: it costs as much as the work itself.
        if (index % 20 === 0)
          expect(hash).toEqual(pbkdf2Sync(task.password, SALT, iterations, 32, "sha256"));
        order.push(shop);
        return "derived" as const;
      },
      (error: unknown) => {
        expect(error).toMatchObject({ code: "busy", status: 503, headers: { "Retry-After": "2" } });
        return "busy" as const;
      },
    );
    return { shop, done };
  });
}

const outcomes = (tasks: Task[]) => Promise.all(tasks.map(({ done }) => done));
const countOf = (ended: string[], what: string) => ended.filter((one) => one === what).length;

it("a single store uses the whole queue, and what does not fit is rejected as busy with Retry-After", async () => {
  const ended = await outcomes(flood(GREEDY, 200, 3_000));
  expect(countOf(ended, "derived")).toBeGreaterThanOrEqual(64);
  expect(countOf(ended, "busy")).toBeGreaterThan(0);
  expect(await outcomes(flood(GREEDY, 1, 10))).toEqual(["derived"]);
});

it("a store that fills the queue does not exclude another store", async () => {
  const greedy = flood(GREEDY, 200, 5_000);
  const quiet = flood(QUIET, 20, 5_000);
  expect(countOf(await outcomes(quiet), "derived")).toBe(20);
  await outcomes(greedy);
});

it("two stores that flood the queue get equal shares of it", async () => {
  const greedy = flood(GREEDY, 200, 5_000);
  const quiet = flood(QUIET, 200, 5_000);
  const [greedyDone, quietDone] = [
    countOf(await outcomes(greedy), "derived"),
    countOf(await outcomes(quiet), "derived"),
  ];
  expect(quietDone).toBeGreaterThanOrEqual(30);
  expect(greedyDone).toBeGreaterThanOrEqual(30);
});

it("a store with expensive hashes gets its share of the work only, so that cheap hashes of others do not wait behind it", async () => {
  const order: string[] = [];
  const greedy = flood(GREEDY, 40, 60_000, order);
  const quiet = flood(QUIET, 20, 3_000, order);
  await outcomes(quiet);
  // Twenty cheap hashes cost as much as one expensive one; each hashing thread may have started one
  // before and one more since. Taking turns hash by hash, the greedy store would get twenty.
  expect(countOf(order, GREEDY)).toBeLessThanOrEqual(2 * availableParallelism() + 1);
  await outcomes(greedy);
});

it("a store's earlier hashes do not count once the queue was empty", async () => {
  await outcomes(flood(GREEDY, 60, 10_000));
  const order: string[] = [];
  await outcomes([...flood(QUIET, 30, 10_000, order), ...flood(GREEDY, 30, 10_000, order)]);
  // Not behind all of the other's: the two take turns.
  expect(countOf(order.slice(0, order.lastIndexOf(QUIET)), GREEDY)).toBeGreaterThanOrEqual(5);
});
