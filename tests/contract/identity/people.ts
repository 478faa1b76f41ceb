// Shoppers of the identity tests and the requests that the tests repeat.
import type { TestDatabase } from "../../support/database.ts";
import { storeRequestsAreSettled } from "../../support/storefront/storefront.ts";
import { eventually, SHOP, type Answer, type Service } from "../../support/service.ts";

export const PASSWORD = "correct horse battery";

let count = 0;
export const newEmail = (name = "person"): string => `${name}-${(count += 1)}@example.com`;

export const signUpBody = (email: string, fields: Record<string, unknown> = {}) => ({
  email,
  password: PASSWORD,
  first_name: "Ada",
  last_name: "Lovelace",
  consent_tos: true,
  consent_privacy: true,
  ...fields,
});

export const postSignUp = (
  service: Service,
  body: unknown,
  shop = SHOP,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  service.call("POST", `/auth/signup?shop=${shop}`, { body, key: null, headers });

export type Person = { id: number; email: string; token: string; answer: Answer };

export async function signUp(
  service: Service,
  fields: Record<string, unknown> = {},
  shop = SHOP,
): Promise<Person> {
  const email = (fields.email as string | undefined) ?? newEmail();
  const answer = await postSignUp(service, signUpBody(email, fields), shop);
  if (answer.status !== 201)
    throw new Error(`${email} could not sign up: ${answer.status} ${answer.text}`);
  return { id: answer.json.user.id, email, token: answer.json.token, answer };
}

export const login = (
  service: Service,
  email: string,
  password = PASSWORD,
  shop = SHOP,
): Promise<Answer> =>
  service.call("POST", `/auth/login?shop=${shop}`, { body: { email, password }, key: null });

export const getMe = (service: Service, token: string): Promise<Answer> =>
  service.call("GET", "/auth/me", { key: token });

/** The statuses of concurrent responses in ascending order. */
export const statusesOf = (answers: readonly Answer[]): number[] =>
  answers.map(({ status }) => status).sort((a, b) => a - b);

/** A response without the parts that differ in every response. */
export function comparable({ status, headers, text }: Answer) {
  const kept = [...headers].filter(
    ([name]) => !["date", "x-request-id", "content-length"].includes(name),
  );
  return {
    status,
    headers: Object.fromEntries(kept),
    text: text.replace(/"request_id":"[^"]*"/, ""),
  };
}

/**
 * The token of the newest mailed link to this address whose path is `path`; `after` ignores older
 * links of the same mailbox.
 */
export async function mailedToken(
  service: Service,
  email: string,
  path: "/auth/password/reset" | "/auth/verify-email",
  after = 0,
): Promise<string> {
  const link = await mailedLink(service, email, path, after);
  return new URL(link).searchParams.get("token") as string;
}

export function mailedLink(
  service: Service,
  email: string,
  path: string,
  after = 0,
): Promise<string> {
  return eventually(`a mail to ${email} with a link to ${path}`, () => {
    const links = service.sandbox.email
      .mailsTo(email)
      .flatMap(({ text }) => /https?:\S+/.exec(text ?? "")?.[0] ?? [])
      .filter((link) => link.includes(path));
    return links.length > after && links.at(-1);
  });
}

export const forgot = (service: Service, email: string, shop = SHOP): Promise<Answer> =>
  service.call("POST", `/auth/password/forgot?shop=${shop}`, { body: { email }, key: null });

export const reset = (
  service: Service,
  token: string,
  password: string,
  shop = SHOP,
): Promise<Answer> =>
  service.call("POST", `/auth/password/reset?shop=${shop}`, {
    body: { token, password },
    key: null,
  });

/** Verifies as the person who signed up: with the password of `signUp`. */
export const verify = (
  service: Service,
  token: string,
  shop = SHOP,
  password: string | undefined = PASSWORD,
): Promise<Answer> =>
  service.call("POST", `/auth/verify-email?shop=${shop}`, {
    body: { token, ...(password !== undefined && { password }) },
    key: null,
  });

export const deleteMe = (service: Service, token: string, body?: unknown): Promise<Answer> =>
  service.call("DELETE", "/auth/me", { key: token, ...(body !== undefined && { body }) });

/** Installs the app in the sandbox's store, so that the channel `storefront` is enabled. */
export async function connectStorefront(service: Service, shop = SHOP): Promise<void> {
  const grant = service.sandbox.storefront.install(shop);
  await service.call("POST", `/config?shop=${shop}`, {
    body: {
      storefront_admin_token: grant.access_token,
      storefront_refresh_token: grant.refresh_token,
      storefront_token_expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    },
  });
  if (service.hasWorkers) await storeRequestsAreSettled(service);
}

/** Waits until no queue row is due. */
export async function queueIsEmpty(service: Service): Promise<void> {
  await eventually(
    "an empty queue",
    async () =>
      (
        await service.database.query(
          "SELECT 1 FROM integration_queue WHERE status NOT IN ('delivered', 'dead_letter')",
        )
      ).length === 0,
  );
}

/** Makes waiting retries due and waits until no queue row is left. */
export async function retriesAreDone(service: Service): Promise<void> {
  await eventually("an empty queue", async () => {
    await service.database.query(
      "UPDATE integration_queue SET next_attempt_at = now() WHERE status = 'pending' AND next_attempt_at > now()",
    );
    return (
      (
        await service.database.query(
          "SELECT 1 FROM integration_queue WHERE status NOT IN ('delivered', 'dead_letter')",
        )
      ).length === 0
    );
  });
}

async function tableNames(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ tablename: string }>(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
  );
  return rows.map(({ tablename }) => tablename);
}

/** One digest per table: two equal snapshots prove that nothing was written. */
export async function databaseSnapshot(database: TestDatabase): Promise<Record<string, string>> {
  const picture: Record<string, string> = {};
  for (const table of await tableNames(database)) {
    const [row] = await database.query(
      `SELECT count(*) || ':' || md5(coalesce(string_agg(t::text, '|'
        ORDER BY t::text), '')) AS digest FROM ${table} t`,
    );
    picture[table] = row.digest;
  }
  return picture;
}

/** The tables that contain one of the words anywhere, ignoring case. */
export async function tablesWith(
  database: TestDatabase,
  words: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const table of await tableNames(database)) {
    const rows = await database.query(
      `SELECT 1 FROM ${table} t WHERE EXISTS (SELECT 1 FROM unnest($1::text[]) word
        WHERE strpos(lower(t::text), lower(word)) > 0) LIMIT 1`,
      [words],
    );
    if (rows.length > 0) found.push(table);
  }
  return found;
}
