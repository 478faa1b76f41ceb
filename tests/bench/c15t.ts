// The peer of the consent benchmark: @c15t/backend on the same Postgres, called in process as its
// own server calls it. Loaded by path because it is not a dependency and may be absent.
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export type C15t = { append(n: number): Promise<void>; close(): Promise<void> };

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const subjectId = () => `sub_${[...randomBytes(22)].map((byte) => ALPHABET[byte % 58]).join("")}`;

export async function loadC15t(databaseUrl: string, poolSize: number): Promise<C15t> {
  const require = createRequire(join(import.meta.dirname, "peers/package.json"));
  // oxlint-disable-next-line typescript/no-explicit-any -- the peer's types are not installed with ours
  const load = (name: string): Promise<any> => import(pathToFileURL(require.resolve(name)).href);
  const [
    { c15tInstance },
    { DB },
    { kyselyAdapter },
    { migrator },
    { Kysely, PostgresDialect },
    pg,
  ] = await Promise.all(
    [
      "@c15t/backend",
      "@c15t/backend/db/schema",
      "@c15t/backend/db/adapters/kysely",
      "@c15t/backend/db/migrator",
      "kysely",
      "pg",
    ].map(load),
  );
  const db = new Kysely({
    dialect: new PostgresDialect({
      pool: new pg.default.Pool({ connectionString: databaseUrl, max: poolSize }),
    }),
  });
  const adapter = kyselyAdapter({ db, provider: "postgresql" });
  await (await migrator({ db: DB.client(adapter), schema: "latest" })).execute();
  const instance = c15tInstance({
    appName: "bench",
    basePath: "/api/c15t",
    trustedOrigins: ["https://shop.example"],
    adapter,
    logger: { level: "error" },
    disableGeoLocation: true,
  });
  return {
    async append() {
      const body = {
        subjectId: subjectId(),
        domain: "shop.example",
        type: "cookie_banner",
        givenAt: Date.now(),
        preferences: { necessary: true, measurement: true, marketing: false },
        consentAction: "custom",
        uiSource: "banner",
      };
      const answer: Response = await instance.handler(
        new Request("https://service.example/api/c15t/subjects", {
          method: "POST",
          headers: { "Content-Type": "application/json", Origin: "https://shop.example" },
          body: JSON.stringify(body),
        }),
      );
      if (!answer.ok) throw new Error(`c15t answered ${answer.status}: ${await answer.text()}`);
      await answer.arrayBuffer();
    },
    close: () => db.destroy(),
  };
}
