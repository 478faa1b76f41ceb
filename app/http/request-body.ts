// Converts the bytes of a request to the body of an endpoint's handler.
import type { z } from "zod";
import { AppError } from "../runtime/errors.ts";
import { reasonsOf } from "../runtime/field-problem.ts";
import { parseJson, toStorableJson, type ApiRequest } from "./api-request.ts";

/**
 * Parses the JSON of a raw body. A signature also covers the content type; with other
 * authentication a wrong type is a 415.
 */
export function readSigned(
  request: ApiRequest,
  raw: Buffer,
  { isAnyType }: { isAnyType: boolean },
): unknown {
  if (!isAnyType && mediaType(request) !== "application/json")
    throw new AppError("unsupported_media_type");
  return parseJson(raw).json;
}

export const mediaType = (request: ApiRequest) =>
  request.header("content-type")?.split(";")[0]?.trim().toLowerCase();

/** Validates the body by the schema; a missing one is an empty object. Throws 400, 413, 415. */
export async function readJson(
  request: ApiRequest,
  schema: z.ZodType,
  maxBytes: number,
): Promise<unknown> {
  const raw = await request.readBody(maxBytes);
  if (raw.length > 0 && mediaType(request) !== "application/json")
    throw new AppError("unsupported_media_type");
  if (raw.length === 0) return validate(schema, {});
  return validate(schema, toStorableJson(parseJson(raw)));
}

/** Validates the value by the schema, or throws 400 with one reason per field. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError("invalid_request", { fields: reasonsOf(parsed.error) });
}
