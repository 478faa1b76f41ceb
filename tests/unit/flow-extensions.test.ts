// The Flow extensions that the platform gets at a deploy, held to the lists that the channel and the
// route of the actions work with.
import { describe, expect, test } from "vitest";
import { FLOW_ACTIONS } from "../../app/domain/flow/flow-actions.ts";
import {
  FLOW_TRIGGERS,
  flowHandle,
  toFlowPayload,
  toFlowTriggers,
  type FlowTrigger,
} from "../../app/domain/flow/flow-triggers.ts";
import { loadRoutes } from "../../app/http/route-table.ts";
import { flowExtensions } from "../../app/sandbox/storefront/flow/flow-extensions.ts";

const MAX_HANDLE = 30;
const declared = (type: string) =>
  flowExtensions()
    .filter((one) => one.type === type)
    .map(({ name, handle, description, fields }) => ({ name, handle, description, fields }))
    .toSorted((a, b) => a.handle.localeCompare(b.handle));
const listed = (
  list: Record<string, { name: string; description: string; fields: readonly object[] }>,
) =>
  Object.entries(list)
    .map(([key, one]) => ({ ...one, handle: flowHandle(key) }))
    .toSorted((a, b) => a.handle.localeCompare(b.handle));

describe("the Flow extensions", () => {
  test("declare each trigger and each action of the lists, field for field, and no other", () => {
    expect(declared("flow_trigger")).toEqual(listed(FLOW_TRIGGERS));
    expect(declared("flow_action")).toEqual(listed(FLOW_ACTIONS));
  });

  test("have handles and keys that the platform accepts", () => {
    for (const { handle, type, fields } of flowExtensions()) {
      expect(handle).toMatch(/^[a-z0-9-]+$/);
      expect(handle.length).toBeLessThanOrEqual(MAX_HANDLE);
      for (const { key } of fields)
        if (key !== undefined)
          expect([handle, key]).toEqual([
            handle,
            expect.stringMatching(type === "flow_trigger" ? /^[a-zA-Z ]+$/ : /^[a-z_]+$/),
          ]);
    }
  });

  test("send every action to the route that runs it", async () => {
    const { all } = await loadRoutes();
    const paths = all.map(({ path }) => path);
    const actions = flowExtensions().filter(({ type }) => type === "flow_action");
    for (const { handle, runtimeUrl } of actions)
      expect(runtimeUrl).toBe(`/flow/actions/${handle}`);
    expect(paths).toContain("/flow/actions/:action");
  });
});

describe("the triggers of an event", () => {
  const EVENTS: Record<string, object> = {
    "customer.consent_updated": {
      method: "banner",
      consents: [{ consent_type: "marketing", action: "granted" }],
    },
    "customer.tags_changed": { tags_added: ["vip", "spring"], tags_removed: ["prospect"] },
    "mandate.used": { mandate: { mandate_id: "m", amount: "40.00", currency: "EUR" } },
    "delivery.dead": { dead: { channel: "erpsys", event_id: "e", event_type: "order.created" } },
    "customer.erased": { user_id: 7 },
  };
  const triggers = Object.entries(EVENTS).flatMap(([type, payload]) =>
    toFlowTriggers(type, payload),
  );

  test("are one for each change, and cover every trigger", () => {
    expect(triggers.map(({ name }) => name)).toEqual([
      "consent_changed",
      "tag_added",
      "tag_added",
      "tag_removed",
      "mandate_used",
      "delivery_dead",
      "customer_erased",
    ]);
  });

  test("fill every declared field, and no other", () => {
    for (const trigger of triggers) {
      const fields: readonly { key?: string }[] = FLOW_TRIGGERS[trigger.name].fields;
      const keys = fields.map(({ key }) => key ?? "customer_id");
      const payload = toFlowPayload(trigger, { gid: "gid://shopify/Customer/5", changeId: "c" });
      expect(Object.keys(payload).toSorted()).toEqual(keys.toSorted());
    }
  });

  test("are none for another event, and for a payload without the changes", () => {
    expect(toFlowTriggers("customer.updated", { user_id: 1 })).toEqual([]);
    expect(toFlowTriggers("customer.consent_updated", { user_id: 1, method: "banner" })).toEqual(
      [],
    );
    expect(toFlowTriggers("mandate.used", { user_id: 1 })).toEqual([]);
  });

  test("name a customer by the exact number", () => {
    const [first] = triggers as [FlowTrigger];
    const idOf = (digits: string) =>
      toFlowPayload(first, { gid: `gid://shopify/Customer/${digits}`, changeId: "c" }).customer_id;
    expect(idOf("8123456789012")).toBe(8_123_456_789_012);
    expect(idOf("9007199254740993")).toBe("9007199254740993");
  });
});
