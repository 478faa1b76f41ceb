/**
 * The documented limits of a GA4 Measurement Protocol hit
 * (developers.google.com/analytics/devguides/collection/protocol/ga4).
 */
import { fieldsOf, textOf } from "../exchange.ts";

export type AnalyticsViolation = {
  fieldPath: string;
  description: string;
  validationCode:
    | "VALUE_INVALID"
    | "VALUE_REQUIRED"
    | "NAME_INVALID"
    | "NAME_RESERVED"
    | "VALUE_OUT_OF_BOUNDS"
    | "EXCEEDED_MAX_ENTITIES"
    | "PERSONAL_DATA";
};

const LIMITS = {
  bodyBytes: 130_000,
  events: 25,
  params: 25,
  userProperties: 25,
  name: 40,
  userPropertyName: 24,
  userPropertyValue: 36,
  paramValue: 100,
  userId: 256,
};
const BACKDATING_MICROS = 72 * 3600 * 1_000_000;
const NAME = /^[A-Za-z][A-Za-z0-9_]*$/;
const RESERVED_PREFIX = /^(_|firebase_|ga_|google_|gtag\.)/;
const RESERVED_EVENTS = new Set(
  (
    "app_remove app_store_refund app_update error first_open first_visit in_app_purchase " +
    "notification_open os_update screen_view session_start user_engagement"
  ).split(" "),
);
const RESERVED_USER_PROPERTIES = new Set([
  "first_open_time",
  "first_visit_time",
  "last_deep_link_referrer",
  "user_id",
  "first_open_after_install",
]);
// Matches only one character before the @: a run of them would make matching a long text quadratic.
const EMAIL_LIKE = /[^\s@"'<>](@|%40)[^\s@%"'<>]+\.[a-z]{2,}/i;

type Report = (
  validationCode: AnalyticsViolation["validationCode"],
  fieldPath: string,
  description: string,
) => void;

/**
 * Lists every violation of a hit. The check for personal data is ours: the product's terms forbid
 * it, its validator does not check it.
 */
export function findViolations(
  body: unknown,
  bodyText: string,
  query: URLSearchParams,
): AnalyticsViolation[] {
  const violations: AnalyticsViolation[] = [];
  const report: Report = (validationCode, fieldPath, description) =>
    void violations.push({ validationCode, fieldPath, description });
  const hit = fieldsOf(body);
  if (!query.get("measurement_id"))
    report("VALUE_REQUIRED", "measurement_id", "The query parameter measurement_id is missing");
  if (!query.get("api_secret"))
    report("VALUE_REQUIRED", "api_secret", "The query parameter api_secret is missing");
  if (typeof body !== "object") report("VALUE_INVALID", "", "The body is not a JSON object");
  if (Buffer.byteLength(bodyText) > LIMITS.bodyBytes)
    report("VALUE_OUT_OF_BOUNDS", "", `The body is larger than ${LIMITS.bodyBytes} bytes`);
  if (typeof hit["client_id"] !== "string" || hit["client_id"] === "")
    report("VALUE_REQUIRED", "client_id", "client_id is missing");
  if (hit["user_id"] !== undefined && typeof hit["user_id"] !== "string")
    report("VALUE_INVALID", "user_id", "must be text");
  if (textOf(hit["user_id"]).length > LIMITS.userId)
    report("VALUE_OUT_OF_BOUNDS", "user_id", `longer than ${LIMITS.userId}`);
  checkTimestamp(hit["timestamp_micros"], "timestamp_micros", report);
  for (const [name, value] of Object.entries(fieldsOf(hit["consent"]))) {
    if (name !== "ad_user_data" && name !== "ad_personalization")
      report("NAME_INVALID", `consent.${name}`, "unknown consent type");
    if (value !== "GRANTED" && value !== "DENIED")
      report("VALUE_INVALID", `consent.${name}`, "must be GRANTED or DENIED");
  }
  checkUserProperties(fieldsOf(hit["user_properties"]), report);
  checkEvents(hit["events"], report);
  findEmails(hit, "", report);
  return violations;
}

function checkEvents(events: unknown, report: Report): void {
  if (!Array.isArray(events) || events.length === 0)
    return report("VALUE_REQUIRED", "events", "events is missing or empty");
  if (events.length > LIMITS.events)
    report("EXCEEDED_MAX_ENTITIES", "events", `more than ${LIMITS.events} events`);
  for (const [index, value] of events.entries()) {
    const event = fieldsOf(value);
    const path = `events[${index}]`;
    const name = textOf(event["name"]);
    checkName(name, LIMITS.name, `${path}.name`, report);
    if (RESERVED_EVENTS.has(name) || name.startsWith("ad_") || name.startsWith("firebase_"))
      report("NAME_RESERVED", `${path}.name`, `${name} is reserved`);
    checkTimestamp(event["timestamp_micros"], `${path}.timestamp_micros`, report);
    const params = Object.entries(fieldsOf(event["params"]));
    if (params.length > LIMITS.params)
      report("EXCEEDED_MAX_ENTITIES", `${path}.params`, `more than ${LIMITS.params} params`);
    for (const [param, paramValue] of params) {
      checkName(param, LIMITS.name, `${path}.params.${param}`, report);
      if (RESERVED_PREFIX.test(param))
        report("NAME_RESERVED", `${path}.params.${param}`, "reserved prefix");
      // `items` is the only list; every other parameter is a single value.
      if (param !== "items")
        checkValue(paramValue, LIMITS.paramValue, `${path}.params.${param}`, report);
    }
  }
}

function checkUserProperties(properties: Record<string, unknown>, report: Report): void {
  const entries = Object.entries(properties);
  if (entries.length > LIMITS.userProperties)
    report(
      "EXCEEDED_MAX_ENTITIES",
      "user_properties",
      `more than ${LIMITS.userProperties} user properties`,
    );
  for (const [name, property] of entries) {
    const path = `user_properties.${name}`;
    checkName(name, LIMITS.userPropertyName, path, report);
    if (RESERVED_USER_PROPERTIES.has(name) || RESERVED_PREFIX.test(name))
      report("NAME_RESERVED", path, `${name} is reserved`);
    if (!Object.hasOwn(fieldsOf(property), "value"))
      report("VALUE_REQUIRED", path, "must be an object with a value");
    else checkValue(fieldsOf(property)["value"], LIMITS.userPropertyValue, `${path}.value`, report);
  }
}

function checkName(name: string, limit: number, path: string, report: Report): void {
  if (name === "") report("VALUE_REQUIRED", path, "name is missing");
  else if (!NAME.test(name))
    report(
      "NAME_INVALID",
      path,
      "must start with a letter and hold letters, digits and underscores only",
    );
  if (name.length > limit) report("NAME_INVALID", path, `longer than ${limit}`);
}

function checkValue(value: unknown, limit: number, path: string, report: Report): void {
  if (typeof value === "object" && value !== null)
    report("VALUE_INVALID", path, "must be a single value");
  else if (String(value).length > limit)
    report("VALUE_OUT_OF_BOUNDS", path, `longer than ${limit}`);
}

function checkTimestamp(value: unknown, path: string, report: Report): void {
  if (value === undefined) return;
  const micros = Number(value);
  const ageMicros = Date.now() * 1000 - micros;
  if (!Number.isFinite(micros) || micros < 1e15)
    report("VALUE_INVALID", path, "must be microseconds since 1970");
  else if (ageMicros > BACKDATING_MICROS)
    report("VALUE_OUT_OF_BOUNDS", path, "older than 72 hours");
}

function findEmails(value: unknown, path: string, report: Report): void {
  if (typeof value === "string") {
    if (EMAIL_LIKE.test(value)) report("PERSONAL_DATA", path, "looks like an email address");
  } else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value))
      findEmails(inner, path === "" ? name : `${path}.${name}`, report);
  }
}
