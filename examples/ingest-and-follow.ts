// A system sends an event and follows its delivery. Needs ADMIN_KEY.
import { setTimeout as wait } from "node:timers/promises";
import { connect, expectData } from "./client/client.ts";

const operator = connect(process.env.ADMIN_KEY);
const event = {
  event_type: "order.created",
  entity_type: "order",
  entity_id: String(Date.now()),
  timestamp: new Date().toISOString(),
  destinations: ["erp_generic", "archive"],
  payload: { name: "#1001", total_price: "25.00", currency: "EUR" },
} as const;

const stored = expectData(
  await operator.POST("/events/ingest", {
    body: { ...event, destinations: [...event.destinations] },
  }),
);
console.log("Stored:", stored);

// The same event again is recognised and delivered once.
const again = expectData(
  await operator.POST("/events/ingest", {
    body: { ...event, destinations: [...event.destinations] },
  }),
);
console.log("Sent again:", again);

for (let attempt = 0; attempt < 60; attempt += 1) {
  const { entries } = expectData(
    await operator.GET("/admin/events/log", { params: { query: { limit: "100" } } }),
  );
  const deliveries = entries.filter(({ event_id: id }) => id === stored.event_id);
  if (deliveries.length >= event.destinations.length) {
    for (const { channel, status, latency_ms: latency } of deliveries)
      console.log(`${channel}: ${status} after ${latency} ms`);
    process.exit(0);
  }
  await wait(500);
}
throw new Error("the event was not delivered within 30 s");
