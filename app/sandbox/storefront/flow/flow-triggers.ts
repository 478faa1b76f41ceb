/**
 * flowTriggerReceive: checks the payload against the trigger's declared fields (shopify.dev "Flow trigger
 * reference") and keeps it. As on the platform, two calls with one content are two triggers.
 */
import type { GraphqlContext } from "../graphql/admin-api.ts";
import { findFlowExtension, type DeclaredField } from "./flow-extensions.ts";

const MAX_PAYLOAD_BYTES = 50_000;
const MAX_KEPT = 500;

export type ReceivedTrigger = {
  at: string;
  handle: string;
  payload: Record<string, unknown>;
};

/** A reference is sent under a key of its own. */
const keyOf = ({ type, key }: DeclaredField): string =>
  type.endsWith("_reference") ? `${type.replace(/_reference$/, "")}_id` : (key ?? "");

const isNumber = (value: unknown) => typeof value === "number" && Number.isFinite(value);
const TYPES: Record<string, (value: unknown) => boolean> = {
  // An id beyond 2^53 is sent as text.
  customer_reference: (value) =>
    (isNumber(value) && Number.isSafeInteger(value)) ||
    (typeof value === "string" && /^\d{1,20}$/.test(value)),
  single_line_text_field: (value) => typeof value === "string" && !value.includes("\n"),
  number_decimal: isNumber,
};

function findProblems(fields: readonly DeclaredField[], payload: unknown): string[] {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload))
    return ["The payload must be an object"];
  if (Buffer.byteLength(JSON.stringify(payload)) > MAX_PAYLOAD_BYTES)
    return [`The payload exceeds ${MAX_PAYLOAD_BYTES} bytes`];
  const given = payload as Record<string, unknown>;
  const keys = fields.map(keyOf);
  return [
    ...fields.flatMap((field) => {
      const key = keyOf(field);
      if (!Object.hasOwn(given, key)) return [`Required field missing from payload: '${key}'`];
      return TYPES[field.type]?.(given[key]) ? [] : [`Type mismatch for field: '${key}'`];
    }),
    ...Object.keys(given)
      .filter((key) => !keys.includes(key))
      .map((key) => `Unknown field in payload: '${key}'`),
  ];
}

export const flowResolvers: Record<string, unknown> = {
  flowTriggerReceive: (
    { handle, payload }: { handle?: string | null; payload?: unknown },
    { shop, changed }: GraphqlContext,
  ) => {
    const extension = findFlowExtension("flow_trigger", handle ?? "");
    const problems = extension
      ? findProblems(extension.fields, payload)
      : [`Invalid handle '${handle ?? ""}'`];
    if (problems.length > 0) {
      const message = `Errors validating schema:\n  ${problems.join("\n  ")}\n`;
      return { userErrors: [{ field: [extension ? "payload" : "handle"], message }] };
    }
    const received = {
      at: new Date().toISOString(),
      handle: handle ?? "",
      payload: payload as Record<string, unknown>,
    };
    shop.flowTriggers = [received, ...(shop.flowTriggers ?? [])].slice(0, MAX_KEPT);
    changed();
    return { userErrors: [] };
  },
};
