// The newest activity of a store, one entry per person: their consents and their arrival together.
import type { Columns, ConsentRecord } from "../../../db.server.ts";
import { jsonList } from "../../../runtime/database/json-list.ts";
import type { Read } from "../../../runtime/database/read-together.ts";
import { outcomeOf } from "../../consent/consent-outcomes.ts";

const SHOWN = 8;
/** A sign-up writes up to four consents. */
const RECORDS_READ = SHOWN * 5;
/** A bulk erasure makes thousands, which are one line. */
const REQUESTS_READ = 100;

/** `decision`: a consent's outcome, or a mandate's event. */
type Decision = { type: string; decision: string };
export type ActivityItem =
  | {
      kind: "person";
      at: string;
      /** Null: a visitor without an account. */
      userId: number | null;
      name: string | null;
      isNew: boolean;
      /** The newest decision of each type, newest first. */
      decisions: Decision[];
    }
  | {
      kind: "privacy";
      /** The time of the newest request in the group. */
      at: string;
      request: string;
      state: string;
      /** How many requests the group has. */
      count: number;
      /** Older ones were not read. */
      hasMore: boolean;
    };
type PersonItem = Extract<ActivityItem, { kind: "person" }>;

/** Times are texts: they come as JSON. */
type ConsentRow = Columns<ConsentRecord, "user_id" | "visitor_id"> & {
  at: string;
  name: string | null;
  type: string;
  decision: string;
};

export type Newest = {
  consents: ConsentRow[];
  customers: { id: number; at: string; name: string | null }[];
  requests: { at: string; request: string; state: string }[];
};

const CONSENTS = `
  SELECT r.created_at AS at, r.user_id, r.visitor_id, coalesce(u.full_name, u.email) AS name,
    r.consent_type AS type, coalesce(${outcomeOf("r")}, r.action) AS decision
  FROM (SELECT * FROM consent_records WHERE shop = $1 ORDER BY seq DESC LIMIT ${RECORDS_READ}) AS r
    LEFT JOIN storefront_users u ON u.shop = $1 AND u.id = r.user_id ORDER BY r.seq DESC`;
const CUSTOMERS = `SELECT id, created_at AS at, coalesce(full_name, email) AS name FROM storefront_users
  WHERE shop = $1 ORDER BY id DESC LIMIT ${SHOWN}`;
const REQUESTS = `SELECT received_at AS at, kind AS request, state FROM privacy_requests
  WHERE shop = $1 ORDER BY id DESC LIMIT ${REQUESTS_READ}`;

export const recentActivityRead: Read<Newest> = {
  sql: `SELECT ${jsonList(CONSENTS)} AS consents, ${jsonList(CUSTOMERS)} AS customers,
    ${jsonList(REQUESTS)} AS requests`,
};

export function toRecentActivity([newest]: readonly Newest[]): ActivityItem[] {
  const { consents = [], customers = [], requests = [] } = newest ?? {};
  const people = new Map<string, PersonItem>();
  for (const { id, at, name } of customers)
    people.set(`customer ${id}`, {
      kind: "person",
      at: toIso(at),
      userId: id,
      name,
      isNew: true,
      decisions: [],
    });
  for (const row of consents) addDecision(people, row);
  const all: ActivityItem[] = [
    ...people.values(),
    ...requests.map(({ at, ...request }) => ({
      kind: "privacy" as const,
      at: toIso(at),
      ...request,
      count: 1,
      hasMore: false,
    })),
  ];
  return joinRequests(all.sort((a, b) => (a.at < b.at ? 1 : -1))).slice(0, SHOWN);
}

function joinRequests(items: readonly ActivityItem[]): ActivityItem[] {
  const joined: ActivityItem[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    if (
      item.kind === "privacy" &&
      last?.kind === "privacy" &&
      last.request === item.request &&
      last.state === item.state
    )
      joined[joined.length - 1] = {
        ...last,
        count: last.count + 1,
        hasMore: last.count + 1 === REQUESTS_READ,
      };
    else joined.push(item);
  }
  return joined;
}

const toIso = (at: string): string => new Date(at).toISOString();

/** Rows come newest first: an older decision about the same consent is left out. */
function addDecision(people: Map<string, PersonItem>, row: ConsentRow): void {
  const { user_id: userId, visitor_id: visitorId, name, type, decision } = row;
  const key = userId === null ? `visitor ${visitorId}` : `customer ${userId}`;
  const at = toIso(row.at);
  const known = people.get(key) ?? {
    kind: "person" as const,
    at,
    userId,
    name,
    isNew: false,
    decisions: [],
  };
  people.set(key, {
    ...known,
    at: at > known.at ? at : known.at,
    decisions: known.decisions.some((one) => one.type === type)
      ? known.decisions
      : [...known.decisions, { type, decision }],
  });
}
