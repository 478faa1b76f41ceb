// What a response contains, as a route declares it with `result`.
import { z } from "zod";
import type { AnySpec } from "../endpoint.ts";

type MediaType = `${string}/${string}`;
/** A schema is JSON; another body is named by its media type; null is no body. */
type Content = z.ZodType | MediaType | null;
/** A list: one of them, by what the request asks for. */
export type ResponseContent = Content | readonly Content[];

export type DeclaredContent = { mediaType: string; schema: z.ZodType | null };

const JSON_TYPE = "application/json";

export const answersOf = (spec: AnySpec): Record<number, string> =>
  spec.answers ?? { 200: "Done." };

const isList = (value: unknown): value is readonly Content[] => Array.isArray(value);

function isContent(value: AnySpec["result"]): value is ResponseContent {
  return value === null || typeof value === "string" || isList(value) || value instanceof z.ZodType;
}

/** Undefined: nothing is declared. Empty: the response has no body. */
export function contentOf(spec: AnySpec, status: number): DeclaredContent[] | undefined {
  const { result } = spec;
  if (result === undefined) return undefined;
  const isSuccess = status >= 200 && status < 300 && status !== 204;
  const content = isContent(result) ? (isSuccess ? result : undefined) : result[status];
  if (content === undefined) return undefined;
  return (isList(content) ? content : [content]).flatMap((one) => {
    if (one === null) return [];
    return [
      typeof one === "string"
        ? { mediaType: one, schema: null }
        : { mediaType: JSON_TYPE, schema: one },
    ];
  });
}
