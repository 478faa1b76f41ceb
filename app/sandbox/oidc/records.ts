/** What a provider was asked for, for tests and the console. */
import type { IncomingHttpHeaders } from "node:http";

type TokenCall = { at: string; issuer: string; headers: IncomingHttpHeaders; body: unknown };
type SignIn = {
  at: string;
  issuer: string;
  realm: string;
  sub: string;
  email: string | null;
};
type SignOut = {
  at: string;
  issuer: string;
  sub: string | null;
  postLogoutRedirectUri: string | null;
};

const MAX_KEPT = 500;

export function createRecords() {
  return {
    fetches: { jwks: 0, discovery: 0 },
    tokenCalls: createList<TokenCall>(),
    signIns: createList<SignIn>(),
    signOuts: createList<SignOut>(),
  };
}

/** Keeps the newest entries, each with the time at which it was added. */
function createList<Entry extends { at: string }>() {
  const entries: Entry[] = [];
  return {
    add(entry: Omit<Entry, "at">): void {
      entries.push({ ...entry, at: new Date().toISOString() } as Entry);
      if (entries.length > MAX_KEPT) entries.shift();
    },
    all: (): Entry[] => [...entries],
  };
}
