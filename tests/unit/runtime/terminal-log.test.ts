// The log at a terminal: one readable line per thing.
import { expect, test } from "vitest";
import { createLog, type Log } from "../../../app/runtime/log.ts";
import { createTerminalLog } from "../../../app/process/terminal-log.ts";

function print(write: (log: Log) => void, options: { hasColours?: boolean; level?: string } = {}) {
  const { hasColours = false, level = "info" } = options;
  let text = "";
  const terminal = createTerminalLog({
    write: (line) => void (text += line),
    hasColours,
    isDetailed: level === "debug",
  });
  write(createLog(level, terminal));
  return text;
}

test("a line has the time, the level, the event and the fields that say something", () => {
  const text = print((log) => {
    log.info("consent.recorded", { method: "banner", rows: 2, request_id: "r-1", about: null });
    log.warn("circuit.opened", { channel: "cms", reason: "status 500", hosts: ["a", "b"] });
    log.info("database.migrated", { applied: Array.from({ length: 40 }, String) });
  });
  expect(text.replace(/\d\d:\d\d:\d\d/g, "10:08:39")).toBe(
    [
      "[10:08:39] INFO: consent.recorded method=banner rows=2",
      '[10:08:39] WARN: circuit.opened channel=cms reason="status 500" hosts=a,b',
      '[10:08:39] INFO: database.migrated applied="40 items"',
      "",
    ].join("\n"),
  );
});

test("steps on the way have no line unless LOG_LEVEL=debug asks for them; failures always have one", () => {
  const write = (log: Log) => {
    log.info("outbound.called", { system: "cms" });
    log.info("request.served", { path: "/health", status: 200 });
    log.info("delivery.attempted", { channel: "cms", outcome: "delivered" });
    log.info("request.served", { path: "/config", status: 401 });
    log.info("delivery.attempted", { channel: "cms", outcome: "failed" });
    log.info("webhooks.registered", { refused: ["orders/create"] });
  };
  const count = (text: string) => text.trim().split("\n").length;
  expect(count(print(write))).toBe(3);
  expect(print(write)).toMatch(/401[^]*outcome=failed[^]*refused=orders\/create/);
  expect(count(print(write, { level: "debug" }))).toBe(6);
});

test("an error has its stack below it", () => {
  const text = print((log) => log.error("webhook.given_up", new Error("it broke")));
  expect(text).toMatch(/ERROR: webhook\.given_up error="it broke"\n\s*Error: it broke\n\s+at /);
});

test("texts of others stay on their line and control nothing", () => {
  const text = print((log) =>
    log.warn("outbound.failed", {
      reason: "\u001b[2Jgone\nINFO: forged\u009b31m\u202e",
      "x\u001b[2J": "y",
    }),
  );
  expect(text.trimEnd()).not.toMatch(/[\n\u001b\u009b\u202e]/);
});

test("only a terminal gets colours", () => {
  const write = (log: Log) => log.info("account.signed_up");
  expect(print(write)).not.toContain("\u001b");
  expect(print(write, { hasColours: true })).toContain("\u001b[");
});

test("a quiet log keeps warnings and says nothing when the log is silent", () => {
  const write = (log: Log) => {
    log.quiet().info("a.done");
    log.quiet().warn("b.failed");
  };
  expect(print(write)).toMatch(/^\S+ WARN: b\.failed\n$/);
  expect(print(write, { level: "silent" })).toBe("");
});
