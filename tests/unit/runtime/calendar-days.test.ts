import { describe, expect, test } from "vitest";
import {
  daysUntil,
  dayOf,
  lastDays,
  nextDay,
  startOfDay,
} from "../../../app/runtime/calendar-days.ts";

describe("the first instant of a day", () => {
  test.each([
    ["UTC", "2026-11-23", "2026-11-23T00:00:00.000Z"],
    ["Europe/Berlin", "2026-07-01", "2026-06-30T22:00:00.000Z"],
    ["Pacific/Kiritimati", "2026-11-23", "2026-11-22T10:00:00.000Z"],
    ["Asia/Kathmandu", "2026-11-23", "2026-11-22T18:15:00.000Z"],
    // The clocks change during the day.
    ["Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00.000Z"],
    ["Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00.000Z"],
    // The clocks change at midnight: the day begins at one, or its first hour comes twice.
    ["America/Havana", "2026-03-08", "2026-03-08T05:00:00.000Z"],
    ["America/Havana", "2026-11-01", "2026-11-01T04:00:00.000Z"],
  ])("in %s, %s", (zone, day, start) => {
    expect(startOfDay(zone, day).toISOString()).toBe(start);
  });
});

test("the last day that a filter may name ends like any other", () => {
  expect(startOfDay("Europe/Berlin", nextDay("9999-12-31")).getTime()).toBe(
    Date.parse("9999-12-31T23:00:00Z"),
  );
});

test("an instant belongs to the day of its zone", () => {
  const at = new Date("2026-11-23T23:30:00Z");
  expect([dayOf("UTC", at), dayOf("Europe/Berlin", at), dayOf("America/New_York", at)]).toEqual([
    "2026-11-23",
    "2026-11-24",
    "2026-11-23",
  ]);
});

test("the last days end today and leave no day out, also over a change of the clocks", () => {
  const days = lastDays("Europe/Berlin", 4, new Date("2026-03-30T22:30:00Z"));
  expect(days.map(({ day }) => day)).toEqual([
    "2026-03-28",
    "2026-03-29",
    "2026-03-30",
    "2026-03-31",
  ]);
  expect(days.map(({ start }) => start.toISOString().slice(11, 13))).toEqual([
    "23",
    "23",
    "22",
    "22",
  ]);
  expect(nextDay("2026-02-28")).toBe("2026-03-01");
});

test("a due date is as many days away as its day is", () => {
  const from = new Date("2026-03-28T22:30:00Z");
  expect([
    daysUntil("Europe/Berlin", from, new Date("2026-03-28T22:59:00Z")),
    daysUntil("Europe/Berlin", from, new Date("2026-03-28T23:01:00Z")),
    daysUntil("Europe/Berlin", from, new Date("2026-04-27T22:30:00Z")),
    daysUntil("Europe/Berlin", from, new Date("2026-03-27T00:00:00Z")),
  ]).toEqual([0, 1, 31, -1]);
});
