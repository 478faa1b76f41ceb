// The real process: what it says when it cannot start.
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DEMO_SHOP } from "../../app/demo-store.ts";
import { systemRandom } from "../../app/runtime/clock.ts";
import { KEYS } from "../../app/runtime/database/kv-keys.ts";
import { createSecrets } from "../../app/runtime/secrets.ts";
import { freshDatabase } from "../support/database.ts";
import { startChild } from "../support/processes/child.ts";
import { requireSentence, useDeployment } from "../support/processes/deployment.ts";

const { at, deployment, refusal } = useDeployment();

describe("an error of the start ends the process with code 1 and a readable message", () => {
  test("lists all missing settings by name and purpose", async () => {
    const text = await refusal({ PORT: "0", SANDBOX: "off", DATABASE_URL: at.database.url });
    requireSentence(text);
    for (const name of [
      "BASE_URL",
      "PLATFORM_CLIENT_ID",
      "PLATFORM_APP_SECRET",
      "JWT_SECRET",
      "ADMIN_KEY",
      "SECRETS_KEY",
      "WORKER_WEBHOOK_SECRET",
    ])
      expect(text).toMatch(new RegExp(`${name}: is missing\\. \\w`));
  });

  test("lists all malformed settings, and never their values", async () => {
    const values = {
      JWT_SECRET: "short-value-1",
      ADMIN_KEY: "short-value-2",
      SECRETS_KEY: "bm90LTMyLWJ5dGVz",
      PORT: "eighty",
      BASE_URL: "http://service.example",
      EMAIL_FROM: "nobody-here",
      PLATFORM_APP_SECRET: "short-value-3",
      ROLES: "web,cook",
    };
    const text = await refusal(deployment(values));
    requireSentence(text);
    for (const [name, value] of Object.entries(values)) {
      expect(text).toContain(`${name}: `);
      expect(text).not.toContain(value);
    }
    expect(text).toContain("at least 16 characters");
  });

  test("rejects a sandbox beside real credentials", async () => {
    const text = await refusal(deployment({ SANDBOX: "on" }));
    requireSentence(text);
    expect(text).toMatch(
      /SANDBOX: the sandbox never runs beside real credentials.*PLATFORM_CLIENT_ID/,
    );
    expect(text).not.toContain("test-app-secret");
  });

  test("names the settings of two cells that are one database, and no address", async () => {
    const twin = at.database.url.replace("127.0.0.1", "localhost");
    const text = await refusal(deployment({ DATABASE_URL_EU: twin, DATABASE_URL_US: twin }));
    requireSentence(text);
    expect(text).toContain("DATABASE_URL_EU: leads to the same database as DATABASE_URL;");
    expect(text).toContain("DATABASE_URL_US: leads to the same database as DATABASE_URL_EU;");
    expect(text).not.toContain("postgresql:");
  });

  test("rejects a database without other settings: no sandbox runs on it, and no key is printed", async () => {
    const child = startChild("app/server.ts", {
      PORT: "0",
      DATA_DIR: join(at.folder, "untouched-by-refusal"),
      DATABASE_URL: at.database.url,
    });
    expect(await child.ended).toBe(1);
    requireSentence(child.err());
    expect(child.err()).toContain("ADMIN_KEY: is missing");
    expect(child.out()).toBe("");
    expect(existsSync(join(at.folder, "untouched-by-refusal"))).toBe(false);
  });

  test("names a port that is in use", async () => {
    const other = createServer();
    await new Promise<void>((ready) => other.listen(0, "127.0.0.1", ready));
    const { port } = other.address() as AddressInfo;
    const text = await refusal(deployment({ PORT: String(port) }));
    other.close();
    requireSentence(text);
    expect(text).toContain(`Port ${port} is in use`);
    expect(text).toContain("set PORT to a free one");
  });

  test("names HOST when the machine has no such address", async () => {
    const text = await refusal(deployment({ HOST: "192.0.2.1" }));
    requireSentence(text);
    expect(text).toMatch(/192\.0\.2\.1.*set HOST/);
  });

  test("names DATABASE_URL when a certificate that it names is missing", async () => {
    const text = await refusal(
      deployment({
        DATABASE_URL: `${at.database.url}?sslmode=verify-full&sslrootcert=/no/such.pem`,
      }),
    );
    requireSentence(text);
    expect(text).toContain("/no/such.pem");
    expect(text).toContain("check DATABASE_URL");
  });

  test("names the setting of a sandbox's port that is in use", async () => {
    const other = createServer();
    await new Promise<void>((ready) => other.listen(0, "127.0.0.1", ready));
    const { port } = other.address() as AddressInfo;
    const dataDir = await mkdtemp(join(at.folder, "port-"));
    const text = await refusal({
      PORT: "0",
      SANDBOX_PORT: String(port),
      SANDBOX: "on",
      DATABASE_URL: at.database.url,
      DATA_DIR: dataDir,
    });
    other.close();
    requireSentence(text);
    expect(text).toContain(`Port ${port} is in use`);
    expect(text).toContain("set SANDBOX_PORT to a free one");
  });

  test("names BASE_URL when the sandbox cannot reach the service there", async () => {
    const text = await refusal({
      PORT: "0",
      SANDBOX_PORT: "0",
      SANDBOX: "on",
      BASE_URL: "https://service.invalid",
      DATABASE_URL: (await freshDatabase()).url,
      DATA_DIR: await mkdtemp(join(at.folder, "base-")),
    });
    requireSentence(text);
    expect(text).toContain("cannot reach the service at https://service.invalid");
    expect(text).toContain("remove BASE_URL");
  });

  test("names DATABASE_URL when the database is missing or cannot be reached", async () => {
    const nowhere = "postgresql://someone:a-secret-word@127.0.0.1:1/none";
    const [unknown, unreachable] = await Promise.all([
      refusal(deployment({ DATABASE_URL: `${at.database.url}_missing` })),
      refusal(deployment({ DATABASE_URL: nowhere })),
    ]);
    for (const text of [unknown, unreachable]) {
      requireSentence(text);
      expect(text).toContain("check DATABASE_URL");
    }
    expect(unreachable).not.toContain("a-secret-word");
  });

  test.each<[string, (url: string) => Promise<Record<string, string>>]>([
    [
      "sandbox",
      async (url) => ({
        PORT: "0",
        SANDBOX: "on",
        DATABASE_URL: url,
        DATA_DIR: await mkdtemp(join(at.folder, "other-key-")),
      }),
    ],
    ["deployed service", async (url) => deployment({ DATABASE_URL: url })],
  ])(
    "names SECRETS_KEY when the database's secrets were stored under another one, of a %s",
    async (_, settingsFor) => {
      const used = await freshDatabase();
      const secrets = createSecrets(Buffer.alloc(32, 9), systemRandom);
      const record = {
        storefront_store_domain: DEMO_SHOP,
        storefront_admin_token: secrets.seal(
          `${DEMO_SHOP}/storefront_admin_token`,
          "a-secret-word",
        ),
      };
      await used.query("INSERT INTO kv (shop, key, value) VALUES ($1, $2, $3::jsonb)", [
        DEMO_SHOP,
        KEYS.tenant(DEMO_SHOP),
        JSON.stringify(record),
      ]);
      const text = await refusal(await settingsFor(used.url));
      requireSentence(text);
      expect(text).toContain("does not open with this SECRETS_KEY");
      await used.drop();
    },
  );

  test("starts beside one store whose secrets are damaged, when those of another open", async () => {
    const used = await freshDatabase();
    for (const [shop, key] of [
      ["damaged.myshopify.com", 9],
      ["whole.myshopify.com", 7],
    ] as const) {
      const secrets = createSecrets(Buffer.alloc(32, key), systemRandom);
      const token = secrets.seal(`${shop}/storefront_admin_token`, "a-secret-word");
      await used.query("INSERT INTO kv (shop, key, value) VALUES ($1, $2, $3::jsonb)", [
        shop,
        KEYS.tenant(shop),
        JSON.stringify({ storefront_store_domain: shop, storefront_admin_token: token }),
      ]);
    }
    const child = startChild("app/server.ts", deployment({ DATABASE_URL: used.url }));
    await child.line("the start", /listening on/);
    child.signal("SIGTERM");
    expect(await child.ended).toBe(0);
    await used.drop();
  });

  test.each<[string, (dataDir: string) => Promise<void>, RegExp]>([
    [
      "a damaged file of local secrets",
      (dir) => writeFile(join(dir, "secrets.json"), '{"SECRETS_KEY": "half'),
      /secrets in .*secrets\.json are damaged/,
    ],
    [
      "a damaged state of the sandbox",
      (dir) => writeFile(join(dir, "sandbox.json"), '{"storefront": '),
      /sandbox\.json is not a sandbox state file.*demo:reset/,
    ],
    [
      "something else where the database should be",
      async (dir) => {
        await mkdir(join(dir, "pg"));
        await writeFile(join(dir, "pg/holiday.jpg"), "not a database");
      },
      /pg/,
    ],
    [
      "a database of another version",
      async (dir) => {
        await mkdir(join(dir, "pg"));
        await writeFile(join(dir, "pg/PG_VERSION"), "9\n");
      },
      /pg/,
    ],
  ])("rejects a data folder that contains %s", async (_, damage, reason) => {
    const dataDir = await mkdtemp(join(at.folder, "damaged-"));
    await chmod(dataDir, 0o711);
    await damage(dataDir);
    const text = await refusal({ PORT: "0", DATA_DIR: dataDir, ROLES: "worker" });
    requireSentence(text);
    expect(text).toMatch(reason);
    await rm(dataDir, { recursive: true, force: true });
  });
});
