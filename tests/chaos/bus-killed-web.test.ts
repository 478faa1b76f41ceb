// The web process of the event bus is killed repeatedly under load.
import { afterAll, beforeAll, expect, test } from "vitest";
import { endChildren, startRoles } from "../support/processes/child.ts";
import { sendEvent, startEventLoad, type SentEvent } from "../support/bus/event-load.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";

const KILLS = 3;
const DESTINATIONS = ["erpsys", "web_analytics", "archive"];
let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(async () => {
  await endChildren();
  await service.stop();
});

const startWeb = () => startRoles(service, "web");

type Stored = { event_id: string; has_ledger: boolean; has_marker: boolean; rows: number };
/** Every stored row of every event, complete or partial. */
const stored = async () =>
  (await service.database.query(
    `SELECT event_id, bool_or(what = 'ledger') AS has_ledger,
      bool_or(what = 'marker') AS has_marker, count(*) FILTER (WHERE what = 'row')::int AS rows FROM (
       SELECT event_id, 'ledger' AS what FROM event_ledger UNION ALL SELECT event_id, 'row'
         FROM integration_queue UNION ALL SELECT value #>> '{}', 'marker' FROM kv WHERE key LIKE 'evt:%'
     ) traces GROUP BY event_id`,
  )) as Stored[];
const isWhole = ({ has_ledger, has_marker, rows }: Stored) =>
  has_ledger && has_marker && rows === DESTINATIONS.length;

test(`${KILLS} kills under load: every acknowledged event is stored completely, none partially, and unanswered ones can be sent again without duplicates`, async () => {
  let web = await startWeb();
  const load = startEventLoad(() => web.url, { atOnce: 24, destinations: DESTINATIONS });
  for (let n = 0; n < KILLS; n += 1) {
    const before = load.accepted();
    await eventually("acknowledgements", () => load.accepted() > before + 150);
    web.signal("SIGKILL");
    await web.ended;
    web = await startWeb();
  }
  const sent = await load.stop();
  const answered = sent.filter(({ status }) => status === 202);
  const unanswered = sent.filter(({ status }) => status === 0);
  expect(sent.length).toBe(answered.length + unanswered.length);

  const traces = await stored();
  const whole = new Set(traces.filter(isWhole).map(({ event_id }) => event_id));
  const lost = answered.filter(({ eventId }) => !whole.has(eventId));
  const storedUnanswered = unanswered.filter(({ eventId }) => whole.has(eventId));
  process.stdout.write(
    `${KILLS} kills of the web process: acknowledged ${answered.length}, acknowledged and not stored ${lost.length}, unanswered ${unanswered.length} (${storedUnanswered.length} of them stored), stored in part ${traces.filter((trace) => !isWhole(trace)).length}\n`,
  );
  expect(lost).toEqual([]);
  expect(traces.filter((trace) => !isWhole(trace))).toEqual([]);

  const again: SentEvent[] = [];
  for (const { eventId } of unanswered)
    again.push(await sendEvent(web.url, { eventId, destinations: DESTINATIONS }));
  expect(
    again.filter(({ eventId, status }) => status !== (whole.has(eventId) ? 200 : 202)),
  ).toEqual([]);
  const afterwards = await stored();
  expect(afterwards.filter((trace) => !isWhole(trace))).toEqual([]);
  expect(new Set(afterwards.map(({ event_id }) => event_id))).toEqual(
    new Set(sent.map(({ eventId }) => eventId)),
  );
});
