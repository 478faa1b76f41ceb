// What of the agents' activity is computed without a database: the operations, and the counting of calls.
import { describe, expect, it } from "vitest";
import { queryOf, ActivityFilters } from "../../../app/domain/agent-activity/activity-filters.ts";
import { DONE, outcomeOf, type AgentCall } from "../../../app/domain/agent-activity/agent-call.ts";
import { createCallBuffer } from "../../../app/domain/agent-activity/call-buffer.ts";
import { isOperation, OPERATIONS } from "../../../app/domain/agent-activity/operations.ts";
import { TOOLS } from "../../../app/domain/agents/tools/index.ts";
import { loadRoutes } from "../../../app/http/route-table.ts";
import { AppError } from "../../../app/runtime/errors.ts";
import en from "../../../app/locales/en/agents/agent-activity.json" with { type: "json" };

describe("operations", () => {
  it("have an entry for every tool: without it a call would not be recorded", () => {
    expect(TOOLS.map(({ name }) => name).filter((name) => !isOperation(name))).toEqual([]);
  });

  it("have an entry for every route that agents may call", async () => {
    const { all } = await loadRoutes();
    const open = all.flatMap(({ path, endpoint }) =>
      Object.entries(endpoint.specs)
        .filter(([, spec]) => spec.agent !== undefined && spec.agentOperation === undefined)
        .map(([method]) => `${method} ${path}`),
    );
    expect(open).toEqual([]);
  });

  it("have a name in the merchant's screen", () => {
    expect(Object.keys(en.operations)).toEqual(Object.keys(OPERATIONS));
  });
});

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 23, 10, 0, seconds));
const call = (changes: Partial<AgentCall> = {}): AgentCall => ({
  ...DONE,
  operation: "get_order",
  caller: { clientId: "agent-1", userId: 7 },
  ...changes,
});

describe("counted calls", () => {
  it("are one entry per minute and kind of call, with their amounts", () => {
    const buffer = createCallBuffer(10);
    const money = { amount: "12.50", currency: "EUR", mandateId: "m-1" };
    const checkout = call({ operation: "create_checkout", money });
    for (const seconds of [1, 59]) buffer.add("a.example", checkout, at(seconds));
    buffer.add("a.example", checkout, at(61));
    buffer.add("b.example", checkout, at(1));
    buffer.add("a.example", call(), at(1));
    const taken = buffer.take();
    expect(taken.map(({ shop, calls, amounts }) => [shop, calls, amounts])).toEqual([
      ["a.example", 2, ["12.50", "12.50"]],
      ["a.example", 1, ["12.50"]],
      ["b.example", 1, ["12.50"]],
      ["a.example", 1, []],
    ]);
    expect(taken[0]?.lastAt).toEqual(at(59));
    expect(buffer.take()).toEqual([]);
  });

  it("of unknown callers are one entry per hour", () => {
    const buffer = createCallBuffer(10);
    for (let minute = 0; minute < 60; minute += 1)
      buffer.add("a.example", call({ caller: null }), at(minute * 60));
    expect(buffer.take().map(({ calls, startedAt }) => [calls, startedAt])).toEqual([[60, at(0)]]);
  });

  it("find no place beyond the limit, and are counted as lost", () => {
    const buffer = createCallBuffer(2);
    for (let userId = 0; userId < 5; userId += 1)
      buffer.add("a.example", call({ caller: { clientId: "a", userId } }), at(0));
    expect([buffer.size, buffer.takeDropped(), buffer.takeDropped()]).toEqual([2, 3, 0]);
  });

  it("with many tokens that nobody checked are those of one unknown caller, and known callers keep their place", () => {
    const buffer = createCallBuffer(8);
    for (let id = 0; id < 100; id += 1)
      buffer.add("a.example", call({ caller: { tokenHash: `token-${id}` } }), at(0));
    buffer.add("a.example", call(), at(0));
    expect(buffer.take().map(({ caller, calls }) => [caller, calls])).toEqual([
      [{ tokenHash: "token-0" }, 1],
      [{ tokenHash: "token-1" }, 1],
      [null, 98],
      [{ clientId: "agent-1", userId: 7 }, 1],
    ]);
    // What was taken no longer counts.
    buffer.add("a.example", call({ caller: { tokenHash: "token-0" } }), at(0));
    expect(buffer.take().map(({ caller }) => caller)).toEqual([{ tokenHash: "token-0" }]);
  });

  it("that could not be written are added to those that came meanwhile", () => {
    const buffer = createCallBuffer(10);
    const paid = (amount: string) => call({ money: { amount, currency: "EUR", mandateId: null } });
    buffer.add("a.example", paid("2.00"), at(5));
    const taken = buffer.take();
    buffer.add("a.example", paid("1.00"), at(3));
    buffer.putBack(taken);
    expect(buffer.take()).toMatchObject([{ calls: 2, lastAt: at(5), amounts: ["1.00", "2.00"] }]);
  });
});

describe("the outcome of an error", () => {
  it("is a refusal where it was not allowed, else a failure; a mandate says why", () => {
    const refused = new AppError("mandate_refused", { details: { reason: "exceeded" } });
    expect(outcomeOf(refused)).toEqual({ outcome: "refused", code: "mandate_exceeded" });
    for (const code of ["invalid_token", "forbidden", "conflict", "too_many_requests"] as const)
      expect(outcomeOf(new AppError(code))).toEqual({ outcome: "refused", code });
    expect(outcomeOf(new AppError("not_found"))).toEqual({ outcome: "failed", code: "not_found" });
    expect(outcomeOf(null)).toEqual({ outcome: "failed", code: "internal_error" });
  });
});

describe("a filter", () => {
  it("ignores what it does not know, and puts no text into the statement", () => {
    const filters = ActivityFilters.parse({
      agent: "x'; DROP TABLE agent_activity; --",
      kind: "cart",
      outcome: "all",
      from: "yesterday",
      to: "2026-11-23",
    });
    const query = queryOf(filters, "Australia/Sydney", [7]);
    expect(query.indexed + query.compared).not.toContain("DROP");
    expect(query.indexedValues).toEqual([filters.agent, [7], new Date("2026-11-23T13:00:00Z")]);
    expect(query.comparedValues).toEqual([
      ["create_cart", "get_cart", "update_cart", "cancel_cart"],
    ]);
  });
});
