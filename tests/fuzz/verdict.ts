// The rules that a response must not break.
import { SECRETS, type Credential } from "./test-app.ts";

export const SLOWEST_MS = 5_000;

/** 5xx codes for outside systems or full queues: the caller may retry. */
const KNOWN_FAILURES = new Set([
  "token_refresh_failed",
  "storefront_unavailable",
  "cms_unavailable",
  "delivery_failed",
  "circuit_open",
  "not_installed",
  "overloaded",
  "busy",
]);

/** Texts that appear only inside the program. */
const INSIDES: Record<string, RegExp> = {
  "a stack trace": /\bat [\w.<>]{1,80} \(?(?:file:|\/)[^\s)]{1,300}:\d+:\d+/,
  "a path of this machine": /\/(?:node_modules|work|home|root|var\/tmp)\/[\w.-]/,
  "a message of the database":
    /syntax error at or near|violates \w{1,40} constraint|relation "\w{1,60}" does not exist|invalid input syntax/,
  "a message of the database client": /PrismaClient|Invalid `prisma/,
};

export type Heard = { method: string; status: number; headers: string; text: string; ms: number };

/** Lists every fault of a response. */
export function findFaults(heard: Heard, credential: Credential): string[] {
  const faults: string[] = [];
  // Without a body the cause is unknown: then only a 500 is certainly ours.
  const isKnown =
    heard.method === "HEAD" ? heard.status !== 500 : KNOWN_FAILURES.has(codeOf(heard.text));
  if (heard.status >= 500 && !isKnown) faults.push(`answered ${heard.status}`);
  if (heard.ms > SLOWEST_MS) faults.push(`took ${Math.round(heard.ms)} ms`);
  const answer = `${heard.headers}\n${heard.text}`;
  for (const [name, secret] of Object.entries(SECRETS)) {
    const mayBeSeen =
      name === "the neighbour's data" &&
      (credential === "admin" || credential === "other_stores_admin");
    if (!mayBeSeen && answer.includes(secret)) faults.push(`holds ${name}`);
  }
  for (const [name, pattern] of Object.entries(INSIDES))
    if (pattern.test(heard.text)) faults.push(`holds ${name}`);
  return faults;
}

function codeOf(text: string): string {
  try {
    const answer = JSON.parse(text) as { code?: string; error?: { data?: { code?: string } } };
    return answer.code ?? answer.error?.data?.code ?? "";
  } catch {
    return "";
  }
}
