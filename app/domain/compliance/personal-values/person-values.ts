// Finds a person's name and phone number among the values of JSON documents. People choose what they
// are called, and the name may be any word of an order: only a whole value counts, in a field that
// holds a person's name. A number counts in a field for phone numbers, or with its plus sign.
import { findEmailAddresses } from "../../../runtime/email-addresses.ts";

/** Replaces a value. */
export const MASK = "redacted";

export type PersonValues = {
  /** Folded by `foldName`. */
  names: ReadonlySet<string>;
  /** Folded by `foldPhone`. */
  phones: ReadonlySet<string>;
};

type Fields = Record<string, unknown>;
/** An object or a list, and the folded name of the field that holds it. */
type Part = { fields: Fields; label: string };

export const foldName = (name: string): string =>
  name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();

const MIN_PHONE_DIGITS = 7;

/** The digits with the country's code; null for a text that is no phone number. */
export function foldPhone(phone: string): string | null {
  const number = phone.normalize("NFKC").trim();
  if (!/^(?:tel:)?\+?[\d\s().\-/]*$/i.test(number)) return null;
  const digits = number.replace("(0)", "").replace(/\D/g, "").replace(/^00/, "");
  return digits.length < MIN_PHONE_DIGITS ? null : digits;
}

// JSON.rawJSON is in Node 22 and later, but not yet in TypeScript's own library.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON: (text: string) => { rawJSON: string };
  isRawJSON: (value: unknown) => value is { rawJSON: string };
};

/** Keeps every number as it is written; undefined for a text that is no JSON. */
export function parseDocument(text: string): unknown {
  const keepNumber = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === "number" && context?.source !== undefined ? rawJSON(context.source) : value;
  try {
    return JSON.parse(text, keepNumber);
  } catch {
    return undefined;
  }
}

const foldKey = (key: string): string => key.toLowerCase().replace(/[^a-z0-9]/g, "");

const isContainer = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !isRawJSON(value);

const textOf = (value: unknown): string | null => {
  if (typeof value === "string") return value;
  return isRawJSON(value) ? value.rawJSON : null;
};

/** Every object and list of a document. The elements of a list have its label. */
function partsOf(document: unknown): Part[] {
  const parts: Part[] = isContainer(document) ? [{ fields: document, label: "" }] : [];
  for (const { fields, label } of parts)
    for (const [key, value] of Object.entries(fields))
      if (isContainer(value))
        parts.push({ fields: value, label: Array.isArray(fields) ? label : foldKey(key) });
  return parts;
}

const CUSTOMER_GID = /^gid:\/\/shopify\/Customer\/\d+$/;
/** Objects whose `id` is the customer's. */
const CUSTOMER_OBJECTS: ReadonlySet<string> = new Set(["customer", "buyer"]);

/**
 * Whether a document names a customer, by an email address or an id of the store. The addresses of the store name
 * nobody, and neither do the numbers of other systems (`hasForeignNumbers`).
 */
export function namesCustomer(
  document: unknown,
  {
    storeAddresses,
    hasForeignNumbers,
  }: { storeAddresses: ReadonlySet<string>; hasForeignNumbers: boolean },
): boolean {
  const isNumber = (text: string) => !hasForeignNumbers && /^\d+$/.test(text);
  return partsOf(document).some(({ fields, label }) =>
    Object.entries(fields).some(([key, value]) => {
      const text = textOf(value);
      if (text === null || text === "") return false;
      if (CUSTOMER_GID.test(text)) return true;
      const name = foldKey(key);
      const isCustomerId = name === "customerid" || (name === "id" && CUSTOMER_OBJECTS.has(label));
      if (isCustomerId && isNumber(text)) return true;
      return findEmailAddresses(text).some((found) => !storeAddresses.has(found.toLowerCase()));
    }),
  );
}

const FIRST_NAME = /^(?:first|given|fore)name$/;
const LAST_NAME = /^(?:last|family|sur)name$/;
const FULL_NAME =
  /^(?:full|customer|recipient|buyer|contact|shipto|billto|cardholder|addressee)name$|^(?:recipient|addressee|cardholder|attention)$/;
/** Fields that hold a person's name where the object is a person or an address. */
const ANY_NAME = /^(?:name\d?|displayname|formattedname)$/;
const PERSON =
  /customer|buyer|person|contact|recipient|address|shipto|billto|soldto|consignee|profile|^users?$/;
const PERSON_FIELD =
  /^e?mail|phone|mobile|^address\d?$|^street|^zip|^postal|^postcode|^city$|^(?:first|last)name$/;
const PHONE =
  /phone|mobile|^cell|^msisdn|^whatsapp|^fax|^tel$|^telf?\d?$|^tel(?:nr|no|number|efon|efax)/;
const PAIR_KEYS = ["name", "key", "label"] as const;

/** The person's values of a document, as the object and the key of each. */
function findValues(document: unknown, person: PersonValues): [fields: Fields, key: string][] {
  return partsOf(document).flatMap((part) =>
    [...nameKeys(part, person), ...phoneKeys(part, person)].map((key): [Fields, string] => [
      part.fields,
      key,
    ]),
  );
}

function nameKeys({ fields, label }: Part, { names }: PersonValues): string[] {
  if (names.size === 0) return [];
  const keys = Object.keys(fields);
  const isName = (key: string) =>
    typeof fields[key] === "string" && names.has(foldName(fields[key]));
  const isPerson = PERSON.test(label) || keys.some((key) => PERSON_FIELD.test(foldKey(key)));
  const whole = keys.filter((key) => {
    const name = foldKey(key);
    return (FULL_NAME.test(name) || (isPerson && ANY_NAME.test(name))) && isName(key);
  });
  const first = keys.find((key) => FIRST_NAME.test(foldKey(key)));
  const last = keys.find((key) => LAST_NAME.test(foldKey(key)));
  const isPair =
    first !== undefined &&
    last !== undefined &&
    names.has(foldName(`${textOf(fields[first]) ?? ""} ${textOf(fields[last]) ?? ""}`));
  const isLabeled =
    isName("value") && isLabel(fields, (name) => FULL_NAME.test(name) || PERSON.test(name));
  return [...whole, ...(isPair ? [first, last] : []), ...(isLabeled ? ["value"] : [])];
}

/** Pairs such as `{"name": "Recipient", "value": …}`. */
const isLabel = (fields: Fields, isWanted: (label: string) => boolean): boolean =>
  PAIR_KEYS.some((key) => typeof fields[key] === "string" && isWanted(foldKey(fields[key])));

const phoneKeys = ({ fields, label }: Part, { phones }: PersonValues): string[] =>
  phones.size === 0
    ? []
    : Object.entries(fields)
        .filter(([key, value]) => {
          const text = textOf(value);
          const digits = text === null ? null : foldPhone(text);
          if (text === null || digits === null || !phones.has(digits)) return false;
          // The elements of a list have the list's name.
          const name = Array.isArray(fields) ? label : foldKey(key);
          return (
            text.trim().startsWith("+") ||
            PHONE.test(name) ||
            (key === "value" && isLabel(fields, (one) => PHONE.test(one)))
          );
        })
        .map(([key]) => key);

/** Replaces the person's values in the document; returns how many there were. */
export function maskValues(document: unknown, person: PersonValues): number {
  const found = findValues(document, person);
  for (const [fields, key] of found) fields[key] = MASK;
  return found.length;
}
