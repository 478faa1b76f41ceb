/**
 * metafieldsSet: at most 25 per call, atomic, each value valid for its type (shopify.dev
 * "metafieldsSet", "Metafield data types").
 */
import { createHash } from "node:crypto";
import { isoSeconds } from "../state.ts";
import type { Metafield, ShopState } from "../state.ts";

export type MetafieldInput = {
  ownerId: string;
  namespace?: string | null;
  key: string;
  type?: string | null;
  value: string;
  compareDigest?: string | null;
};
export type MetafieldError = {
  field: string[];
  message: string;
  code: string;
  elementIndex: number | null;
};

/** What has metafields here: a customer, or the app's installation in the store. */
type Owner = { metafields: Metafield[] };
type Complaint = { field: string; message: string; code: string };

const MAX_PER_CALL = 25;
const MAX_LIST = 128;
/** shopify.dev "Metafield and metaobject limits". */
const MAX_JSON_BYTES = 128 * 1024;
const MAX_BYTES = 64 * 1024;
const APP_NAMESPACE = "app--1";

/** The types of the app's own metafield definitions; a write with another type is rejected. */
const DEFINITIONS: Record<string, string> = {
  "custom.crm_status": "single_line_text_field",
  "custom.crm_tier": "single_line_text_field",
  "custom.crm_segment": "single_line_text_field",
  "custom.crm_tags": "list.single_line_text_field",
  "custom.crm_consent_marketing": "boolean",
  "custom.crm_consent_tos": "boolean",
};

/** Returns what is wrong with a value of the type, or null. */
const VALUE_CHECKS: Record<string, (value: string) => string | null> = {
  single_line_text_field: (value) =>
    /[\r\n]/.test(value) ? "Value can't contain line breaks." : null,
  multi_line_text_field: () => null,
  boolean: (value) =>
    value === "true" || value === "false" ? null : "Value must be true or false.",
  number_integer: (value) => (/^-?\d+$/.test(value) ? null : "Value must be an integer."),
  json: (value) => (parseJson(value) === undefined ? "Value is invalid JSON." : null),
  "list.single_line_text_field": checkTextList,
};

export const METAFIELD_TYPES: readonly string[] = Object.keys(VALUE_CHECKS);

export function checkMetafields(
  inputs: MetafieldInput[],
  findOwner: (gid: string) => Owner | undefined,
): MetafieldError[] {
  if (inputs.length > MAX_PER_CALL) {
    return [
      {
        field: ["metafields"],
        message: `Exceeded the maximum metafields input limit of ${MAX_PER_CALL}.`,
        code: "LESS_THAN_OR_EQUAL_TO",
        elementIndex: null,
      },
    ];
  }
  return inputs.flatMap((input, index) => {
    const complaint = findComplaint(input, findOwner(input.ownerId));
    return complaint
      ? [
          {
            ...complaint,
            field: ["metafields", String(index), complaint.field],
            elementIndex: index,
          },
        ]
      : [];
  });
}

/** Merges the inputs into the customer's metafields; an equal value keeps its update time. */
export function mergeMetafields(before: Metafield[], inputs: MetafieldInput[]): Metafield[] {
  const now = isoSeconds(new Date());
  const merged = new Map(before.map((metafield) => [nameOf(metafield), metafield]));
  for (const input of inputs) {
    const name = nameOf(input);
    const known = merged.get(name);
    const type = typeOf(input, known) ?? "";
    if (known?.value === input.value && known.type === type) continue;
    merged.set(name, {
      namespace: input.namespace ?? APP_NAMESPACE,
      key: input.key,
      type,
      value: input.value,
      createdAt: known?.createdAt ?? now,
      updatedAt: now,
    });
  }
  return [...merged.values()];
}

export const installationGid = (shop: ShopState): string =>
  `gid://shopify/AppInstallation/${shop.id}`;

export function nameOf({ namespace, key }: { namespace?: string | null; key: string }): string {
  return `${namespace ?? APP_NAMESPACE}.${key}`;
}

/** Changes with the value: sent back as compareDigest, it makes the write a compare-and-set. */
export function digestOf({ value }: Metafield): string {
  return createHash("sha256").update(value).digest("hex");
}

function findComplaint(input: MetafieldInput, owner: Owner | undefined): Complaint | null {
  if (!owner) return { field: "ownerId", message: "Owner does not exist.", code: "INVALID" };
  if (!/^[\w-]{3,255}$/.test(input.namespace ?? APP_NAMESPACE))
    return { field: "namespace", message: "Namespace is invalid.", code: "INVALID" };
  if (!/^[\w-]{2,64}$/.test(input.key))
    return { field: "key", message: "Key is invalid.", code: "INVALID" };
  const known = owner.metafields.find((metafield) => nameOf(metafield) === nameOf(input));
  const type = typeOf(input, known);
  return (
    findTypeComplaint(input, type) ??
    findValueComplaint(input.value, type as string) ??
    findDigestComplaint(input, known)
  );
}

function findTypeComplaint(input: MetafieldInput, type: string | undefined): Complaint | null {
  const defined = DEFINITIONS[nameOf(input)];
  if (type === undefined) return { field: "type", message: "Type can't be blank.", code: "BLANK" };
  if (defined !== undefined && type !== defined)
    return {
      field: "type",
      message: `Type must be consistent with the definition's type: '${defined}'.`,
      code: "INVALID_TYPE",
    };
  if (!VALUE_CHECKS[type])
    return {
      field: "type",
      message: `Type '${type}' is not included in the list.`,
      code: "INCLUSION",
    };
  return null;
}

function findValueComplaint(value: string, type: string): Complaint | null {
  if (value.trim() === "")
    return { field: "value", message: "Value can't be blank.", code: "BLANK" };
  const limit = type === "json" ? MAX_JSON_BYTES : MAX_BYTES;
  if (Buffer.byteLength(value) > limit)
    return {
      field: "value",
      message: `Value is too long (maximum is ${limit} bytes).`,
      code: "TOO_LONG",
    };
  const problem = VALUE_CHECKS[type]?.(value) ?? null;
  return problem === null ? null : { field: "value", message: problem, code: "INVALID_VALUE" };
}

/** `compareDigest` absent: no comparison. null: only when the metafield does not exist yet. */
function findDigestComplaint(
  { compareDigest }: MetafieldInput,
  known: Metafield | undefined,
): Complaint | null {
  const current = known ? digestOf(known) : null;
  if (compareDigest === undefined || compareDigest === current) return null;
  return {
    field: "compareDigest",
    message:
      "The resource has been updated since it was loaded. Try again with an updated `compareDigest` value.",
    code: "STALE_OBJECT",
  };
}

function typeOf(input: MetafieldInput, known: Metafield | undefined): string | undefined {
  return input.type ?? DEFINITIONS[nameOf(input)] ?? known?.type;
}

function checkTextList(value: string): string | null {
  const list = parseJson(value);
  if (
    !Array.isArray(list) ||
    list.some((item) => typeof item !== "string" || item === "" || /[\r\n]/.test(item))
  )
    return "Value must be a list of texts in JSON.";
  return list.length > MAX_LIST ? `Value can't have more than ${MAX_LIST} items.` : null;
}

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return undefined;
  }
}
