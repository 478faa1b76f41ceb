// The newest activity on Home: what stands next to each other and is the same is one line.
import { expect, test } from "vitest";
import {
  toRecentActivity,
  type Newest,
} from "../../../../app/domain/merchant/home/recent-activity.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 10, minute)).toISOString();
const request = (minute: number, state: string, kind = "customer_redact") => ({
  at: at(minute),
  request: kind,
  state,
});
const shown = (newest: Partial<Newest>) =>
  toRecentActivity([{ consents: [], customers: [], requests: [], ...newest }]).map((item) =>
    item.kind === "person" ? item.name : `${item.count} ${item.request} ${item.state} ${item.at}`,
  );

test("privacy requests of one kind and state that follow each other are one line with their number and newest time", () => {
  const requests = [
    ...Array.from({ length: 50 }, (_, index) => request(59 - index, "received")),
    request(5, "done"),
    request(4, "done", "data_request"),
    request(3, "done"),
  ];
  expect(shown({ requests })).toEqual([
    `50 customer_redact received ${at(59)}`,
    `1 customer_redact done ${at(5)}`,
    `1 data_request done ${at(4)}`,
    `1 customer_redact done ${at(3)}`,
  ]);
});

test("a line of requests does not reach across a customer who came between them", () => {
  const requests = [request(9, "received"), request(8, "received"), request(6, "received")];
  expect(shown({ requests, customers: [{ id: 1, at: at(7), name: "Ada" }] })).toEqual([
    `2 customer_redact received ${at(9)}`,
    "Ada",
    `1 customer_redact received ${at(6)}`,
  ]);
});

test("a line of all requests that are read says that there may be more", () => {
  const many = (count: number) =>
    toRecentActivity([
      {
        consents: [],
        customers: [],
        requests: Array.from({ length: count }, () => request(1, "received")),
      },
    ]);
  expect(many(100)).toMatchObject([{ count: 100, hasMore: true }]);
  expect(many(99)).toMatchObject([{ count: 99, hasMore: false }]);
});

test("a customer stands at their newest decision, with the newest of each kind", () => {
  const decision = (minute: number, userId: number, type: string, outcome: string) => ({
    at: at(minute),
    user_id: userId,
    visitor_id: null,
    name: `customer ${userId}`,
    type,
    decision: outcome,
  });
  const items = toRecentActivity([
    {
      customers: [
        { id: 2, at: at(5), name: "customer 2" },
        { id: 1, at: at(1), name: "customer 1" },
      ],
      consents: [
        decision(9, 1, "marketing", "withdrawn"),
        decision(8, 1, "cookie", "granted"),
        decision(7, 1, "marketing", "granted"),
      ],
      requests: [],
    },
  ]);
  expect(items).toMatchObject([
    {
      userId: 1,
      at: at(9),
      isNew: true,
      decisions: [
        { type: "marketing", decision: "withdrawn" },
        { type: "cookie", decision: "granted" },
      ],
    },
    { userId: 2, at: at(5), decisions: [] },
  ]);
});
