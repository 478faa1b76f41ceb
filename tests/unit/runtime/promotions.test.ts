// What a process remembers of the promotions among the servers of an address.
import { expect, test } from "vitest";
import { promotionsOf } from "../../../app/runtime/database/connection/promotions.ts";

const hosts = (...names: string[]) => names.map((host) => ({ host, port: 5432 }));

test("a server is a former primary once a later promotion of its cluster is known, in whatever order servers are listed", () => {
  const promotions = promotionsOf(hosts("order-1", "order-2"));
  expect(promotions.note({ system: "a", number: 2 })).toBe(true);
  expect(promotions.note({ system: "a", number: 1 })).toBe(false);
  expect(promotions.note({ system: "a", number: 10 })).toBe(true);
  const again = promotionsOf(hosts("order-2", "order-1"));
  expect(again.isFormer({ system: "a", number: 2 })).toBe(true);
  expect(again.isFormer({ system: "a", number: 10 })).toBe(false);
});

test("a server is current once its cluster is known with its timeline or an older one, and not in a cluster that is new to the process", () => {
  const promotions = promotionsOf(hosts("current-1", "current-2"));
  expect(promotions.isCurrent({ system: "a", number: 5 })).toBe(false);
  promotions.note({ system: "a", number: 5 });
  expect([4, 5, 6].map((number) => promotions.isCurrent({ system: "a", number }))).toEqual([
    false,
    true,
    true,
  ]);
});

test("the promotions of one address say nothing about another cluster, nor about a copy of the cluster at another address", () => {
  const promotions = promotionsOf(hosts("copy-1", "copy-2"));
  promotions.note({ system: "a", number: 5 });
  expect(promotions.note({ system: "restored", number: 1 })).toBe(true);
  expect(promotionsOf(hosts("copy-3", "copy-4")).note({ system: "a", number: 1 })).toBe(true);
});

test("a promotion ends the open connections to older servers, once, and no others", () => {
  const promotions = promotionsOf(hosts("open-1", "open-2"));
  const ended: string[] = [];
  const open = (name: string, number: number) => {
    promotions.note({ system: "a", number });
    return promotions.endWhenFormer({ system: "a", number }, () => ended.push(name));
  };
  const close = open("closed before", 1);
  const closeOlder = open("older", 1);
  close();
  promotions.note({ system: "a", number: 1 });
  expect(ended).toEqual([]);
  open("promoted", 2);
  expect(ended).toEqual(["older"]);
  closeOlder();
  promotions.note({ system: "a", number: 2 });
  expect(ended).toEqual(["older"]);
});
