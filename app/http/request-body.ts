// From the bytes of a request to what an endpoint's handler gets.
import type { z } from "zod";
import { AppError } from "../runtime/errors.ts";
import { isSigned, type Auth } from "./guards.ts";
import { parseJson, toStorableJson, type Inbound } from "./inbound.ts";

/** The JSON of a body that was proven over its bytes. Only a signature also proves what the bytes are: 415 for others. */
export function readSigned(inbound: Inbound, auth: Auth, raw: Buffer): unknown {
  if (auth === "event_source" && !isSigned(inbound) && mediaType(inbound) !== "application/json")
    throw new AppError("unsupported_media_type");
  return parseJson(raw).json;
}

export const mediaType = (inbound: Inbound) =>
  inbound.header("content-type")?.split(";")[0]?.trim().toLowerCase();

/** The body as the schema reads it; an absent one is an empty object. Throws 400, 413, 415. */
export async function readJson(
  inbound: Inbound,
  schema: z.ZodType,
  maxBytes: number,
): Promise<unknown> {
  const raw = await inbound.readBody(maxBytes);
  if (raw.length > 0 && mediaType(inbound) !== "application/json")
    throw new AppError("unsupported_media_type");
  if (raw.length === 0) return validate(schema, {});
  return validate(schema, toStorableJson(parseJson(raw)));
}

/** The value as the schema reads it, or 400 with one reason per field. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = Object.fromEntries(
    parsed.error.issues.map((issue) => [issue.path.join(".") || "body", issue.message]),
  );
  throw new AppError("invalid_request", { fields });
}
