/** Calls to the service over HTTP, as the store, its shopper or an agent makes them. */
import { fieldsOf } from "../../exchange.ts";

const TIMEOUT_MS = 10_000;

export type ServiceAnswer = {
  status: number;
  ms: number;
  headers: Headers;
  text: string;
  /** The body as an object; empty when it is none. */
  fields: Record<string, unknown>;
};

export type ServiceCall = {
  headers?: Record<string, string>;
  json?: unknown;
  form?: Record<string, string>;
  signal?: AbortSignal;
};

/** There was no answer at all. */
export class ServiceAway extends Error {
  override name = "ServiceAway";
}

/** Follows no redirect. Throws `ServiceAway` without an answer. */
export async function callService(
  url: URL | string,
  method: "GET" | "POST" | "DELETE",
  { headers = {}, json, form, signal }: ServiceCall = {},
): Promise<ServiceAnswer> {
  const startedAt = performance.now();
  const body = form ? new URLSearchParams(form).toString() : JSON.stringify(json);
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      method,
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      headers: {
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
        ...(json !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...((form ?? json) !== undefined && { body }),
    });
    const text = await response.text();
    return {
      status: response.status,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      headers: response.headers,
      text,
      fields: parse(text),
    };
  } catch {
    throw new ServiceAway("The service does not answer.");
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}
