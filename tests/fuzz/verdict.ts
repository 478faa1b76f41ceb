// What an answer must not be.
import { SECRETS, type Credential } from "./world.ts";

export const SLOWEST_MS = 5_000;

/** 5xx that tell of something outside the service, or of its own full queues: the caller is told to try again. */
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

/** What only the inside of the program says. */
const INSIDES: Record<string, RegExp> = {
  "a stack trace": /\bat [\w.<>]{1,80} \(?(?:file:|\/)[^\s)]{1,300}:\d+:\d+/,
  "a path of this machine": /\/(?:node_modules|work|home|root|var\/tmp)\/[\w.-]/,
  "a message of the database":
    /syntax error at or near|violates \w{1,40} constraint|relation "\w{1,60}" does not exist|invalid input syntax/,
  "a message of the database client": /PrismaClient|Invalid `prisma/,
};

export type Heard = { method: string; status: number; headers: string; text: string; ms: number };

/** Everything that is wrong with an answer; empty when nothing is. */
export function findFaults(heard: Heard, credential: Credential): string[] {
  const faults: string[] = [];
  // Without a body nobody can tell which failure it is: then only 500 is ours for certain.
  const isKnown =
    heard.method === "HEAD" ? heard.status !== 500 : KNOWN_FAILURES.has(codeOf(heard.text));
  if (heard.status >= 500 && !isKnown) faults.push(`answered ${heard.status}`);
  if (heard.ms > SLOWEST_MS) faults.push(`took ${Math.round(heard.ms)} ms`);
  const said = `${heard.headers}\n${heard.text}`;
  for (const [name, secret] of Object.entries(SECRETS)) {
    const mayBeSeen =
      name === "the neighbour's data" &&
      (credential === "admin" || credential === "other_stores_admin");
    if (!mayBeSeen && said.includes(secret)) faults.push(`holds ${name}`);
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
