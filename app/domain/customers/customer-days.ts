// Customers and sign-ups per day of the store's time zone. The scheduled run folds them into `customer_days`;
// a reader adds what came since, from the newest end of two indexes, so that no screen counts all customers.
// When the zone changes, the next run counts the customers again; sign-ups stay on their day (decision 048).
//
// A sign-up is a new account that has signed in, or a contact with a consent of the method `signup`.
import type { Ctx } from "../../context.server.ts";
import { compareAndSetKey, findKey, putKeyIfAbsent } from "../../runtime/database/kv.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import type { Read } from "../../runtime/database/read-together.ts";
import { dayIn, lastDaysIn, timeZoneOf, todayIn } from "../tenants/storefront/time-zone.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

/** The last customer and the last consent record that are folded, and the day and zone of the last recount. */
type Mark = { user_id: number; seq: number; day: string; zone?: string };
export type CustomerDayCount = { day: string; added: number; signUps: number };

/** Sign-ups before the first fold are counted for as many days. */
const HISTORY_DAYS = 61;

/** `$2` is the store's time zone in every statement. */
const ZONE = "$2";

const NEWEST = `SELECT (SELECT coalesce(max(id), 0) FROM storefront_users WHERE shop = $1) AS user_id,
  (SELECT coalesce(max(seq), 0) FROM consent_records WHERE shop = $1)::int AS seq,
  to_char(${todayIn(ZONE)}, 'YYYY-MM-DD') AS day, ${ZONE}::text AS zone`;

const addedBetween = (after: string, last: string) =>
  `SELECT ${dayIn(ZONE, "created_at")} AS day, count(*)::int AS added FROM storefront_users
    WHERE shop = $1 AND id > ${after} AND id <= ${last} AND status <> 'deleted' GROUP BY 1`;

// One account counts once, also when it is new and has a consent of its sign-up.
const signUpsBetween = (users: [string, string], seqs: [string, string]) =>
  `SELECT day, count(*)::int AS sign_ups FROM (
     SELECT id, min(day) AS day FROM (
       SELECT id, ${dayIn(ZONE, "created_at")} AS day FROM storefront_users
         WHERE shop = $1 AND id > ${users[0]} AND id <= ${users[1]} AND last_login_at IS NOT NULL
           AND created_at > clock_timestamp() - interval '${HISTORY_DAYS} days'
       UNION ALL
       SELECT user_id, ${dayIn(ZONE, "created_at")} FROM consent_records
         WHERE shop = $1 AND seq > ${seqs[0]} AND seq <= ${seqs[1]} AND method = 'signup'
           AND user_id IS NOT NULL
           AND created_at > clock_timestamp() - interval '${HISTORY_DAYS} days'
     ) AS found GROUP BY id
   ) AS accounts GROUP BY day`;

// A recount once a day takes out the customers who were deleted since, and moves all to their day of a new zone.
const CLEAR = "UPDATE customer_days SET added = 0 WHERE shop = $1";
const ADD_CUSTOMERS = `INSERT INTO customer_days AS d (shop, day, added)
  SELECT $1, day, added FROM (${addedBetween("$3", "$4")}) AS c
  ON CONFLICT (shop, day) DO UPDATE SET added = d.added + excluded.added`;
const ADD_SIGN_UPS = `INSERT INTO customer_days AS d (shop, day, sign_ups)
  SELECT $1, day, sign_ups FROM (${signUpsBetween(["$3", "$4"], ["$5", "$6"])}) AS c
  ON CONFLICT (shop, day) DO UPDATE SET sign_ups = d.sign_ups + excluded.sign_ups`;

/** Returns the number of customers that were counted. Of two concurrent runs one takes effect. */
export async function foldCustomerDays(ctx: Ctx, tenant: Tenant): Promise<number> {
  const known = await findKey<Mark>(dataOf(ctx, tenant).sql, KEYS.customerDays);
  const from = known?.value ?? { user_id: 0, seq: 0, day: "" };
  const zone = timeZoneOf(tenant);
  return dataOf(ctx, tenant).transaction(async (sql) => {
    const [to] = await sql<Mark>(NEWEST, [zone]);
    if (!to) return 0;
    const isRecount = to.day !== from.day || to.zone !== from.zone;
    if (!isRecount && to.user_id === from.user_id && to.seq === from.seq) return 0;
    const isOurs = known
      ? await compareAndSetKey(sql, KEYS.customerDays, known.version, to)
      : await putKeyIfAbsent(sql, KEYS.customerDays, to);
    if (!isOurs) return 0;
    if (isRecount) await sql(CLEAR);
    await sql(ADD_CUSTOMERS, [zone, isRecount ? 0 : from.user_id, to.user_id]);
    await sql(ADD_SIGN_UPS, [zone, from.user_id, to.user_id, from.seq, to.seq]);
    return to.user_id - from.user_id;
  });
}

const MAX_ID = "2147483647";
const MAX_SEQ = "9223372036854775807";
const READ = `
  WITH mark AS MATERIALIZED (
    SELECT coalesce(max((value->>'user_id')::int), 0) AS user_id,
      coalesce(max((value->>'seq')::bigint), 0) AS seq FROM kv WHERE shop = $1 AND key = $3
  ), counts AS (
    SELECT day, added, sign_ups FROM customer_days WHERE shop = $1
    UNION ALL
    SELECT day, added, 0 FROM (${addedBetween("(SELECT user_id FROM mark)", MAX_ID)}) AS fresh
    UNION ALL
    SELECT day, 0, sign_ups FROM (${signUpsBetween(
      ["(SELECT user_id FROM mark)", MAX_ID],
      ["(SELECT seq FROM mark)", MAX_SEQ],
    )}) AS fresh
  ), first AS (SELECT ${todayIn(ZONE)} - ($4::int - 1) AS day)
  SELECT NULL AS day, coalesce(sum(added), 0)::int AS added, 0 AS "signUps"
    FROM counts, first WHERE counts.day < first.day
  UNION ALL
  SELECT to_char(d.day, 'YYYY-MM-DD'), coalesce(sum(added), 0)::int, coalesce(sum(sign_ups), 0)::int
    FROM ${lastDaysIn(ZONE, "$4::int")}
    LEFT JOIN counts ON counts.day = d.day GROUP BY d.day ORDER BY 1 NULLS FIRST`;

export type CustomerDays = { before: number; days: CustomerDayCount[] };

/** The last `days` days, oldest first, and before them a row of the customers from before. */
export const customerDaysRead = (tenant: Tenant, days: number): Read<CustomerDayCount> => ({
  sql: READ,
  values: [timeZoneOf(tenant), KEYS.customerDays, days],
});

export const toCustomerDays = ([earlier, ...days]: readonly CustomerDayCount[]): CustomerDays => ({
  before: earlier?.added ?? 0,
  days,
});
