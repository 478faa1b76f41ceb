// The configuration is read once and refused as a whole: every problem at once, by name and kind, never by value.
import { describe, expect, test } from "vitest";
import {
  ConfigError,
  readEnvironment,
  shapeConfig,
  type Config,
  type Environment,
} from "../../app/runtime/config.ts";
import { SETTINGS, type SettingName } from "../../app/runtime/settings.ts";

const DEPLOYED: Environment = {
  BASE_URL: "https://identity.example",
  PLATFORM_CLIENT_ID: "client-id",
  PLATFORM_APP_SECRET: "app-secret-0123456789",
  JWT_SECRET: "jwt-secret-0123456789",
  ADMIN_KEY: "admin-key-0123456789",
  SECRETS_KEY: Buffer.alloc(32, 1).toString("base64"),
  WORKER_WEBHOOK_SECRET: "worker-secret-0123456789",
  DATABASE_URL: "postgres://user:database-password@db.example/main",
};
const REQUIRED = [
  "ADMIN_KEY",
  "BASE_URL",
  "JWT_SECRET",
  "PLATFORM_APP_SECRET",
  "PLATFORM_CLIENT_ID",
  "SECRETS_KEY",
  "WORKER_WEBHOOK_SECRET",
];

const shape = (
  environment: Environment,
  local: Partial<Record<SettingName, string>> = {},
): Config => shapeConfig(environment, () => local);

function problemsOf(environment: Environment): ConfigError {
  try {
    shape(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("the configuration was accepted");
}
const namesOf = (environment: Environment) =>
  [...new Set(problemsOf(environment).problems.map(({ name }) => name))].sort();

describe("a deployment", () => {
  test("with everything it needs is accepted, and the rest has its defaults", () => {
    expect(shape(DEPLOYED)).toMatchObject({
      isSandbox: false,
      isEmbedded: false,
      isDevelopment: false,
      PORT: 3000,
      STOREFRONT_URL_TEMPLATE: "https://{shop}",
      CMS_API_URL: "https://api.webflow.com/v2",
      TRUST_PROXY_HOPS: 0,
      RATE_LIMIT_SCALE: 1,
    });
    expect([...shape(DEPLOYED).roles].sort()).toEqual(["scheduler", "web", "worker"]);
  });

  test("is told everything that is missing at once, and what each is for", () => {
    expect(namesOf({ SANDBOX: "off" })).toEqual(REQUIRED);
    const { message } = problemsOf({ SANDBOX: "off" });
    for (const name of REQUIRED)
      expect(message).toContain(`${name}: is missing. ${SETTINGS[name as SettingName].about}`);
  });

  test.each(REQUIRED)("is told that %s alone is missing", (name) => {
    expect(namesOf({ ...DEPLOYED, [name]: undefined })).toEqual([name]);
    expect(namesOf({ ...DEPLOYED, [name]: "" })).toEqual([name]);
    expect(namesOf({ ...DEPLOYED, [name]: "   " })).toEqual([name]);
  });

  const wrong: Record<string, string> = {
    PORT: "wrong-value-port",
    BASE_URL: "http://wrong-value.example",
    ADMIN_KEY: "wrong-value",
    SECRETS_KEY: "wrong-value",
    DATABASE_URL: "mysql://wrong-value",
    ROLES: "web,wrong-value",
    SANDBOX: "wrong-value",
    LOG_LEVEL: "wrong-value",
    STOREFRONT_URL_TEMPLATE: "https://wrong-value.example",
    STOREFRONT_STORE_DOMAIN: "wrong-value.example",
    EMAIL_FROM: "wrong-value",
    CMS_API_URL: "http://wrong-value.example",
    ANALYTICS_MEASUREMENT_ID: "wrong-value",
    ARCHIVE_URL: "ftp://wrong-value",
    PLATFORM_APP_SECRET: "wrong-value-one-long,wrong-value-two-long,wrong-value-three-long",
    DATABASE_URL_EU: "wrong-value",
    RATE_LIMIT_SCALE: "wrong-value",
    TRUST_PROXY_HOPS: "99999",
    JWT_SECRET: "wrong-value",
    WORKER_WEBHOOK_SECRET: "short",
    BACKEND_BASE_URL: "wrong-value",
  };
  test.each(Object.entries(wrong))(
    "is told that %s is malformed, without its value",
    (name, value) => {
      const error = problemsOf({ ...DEPLOYED, [name]: value });
      expect(error.problems.map((problem) => problem.name)).toEqual([name]);
      expect(error.message).not.toContain(value);
    },
  );

  test("is told of all malformed settings together, and no value of any setting stands in the message", () => {
    const environment = { ...DEPLOYED, ...wrong, CMS_API_TOKEN: "x" };
    expect(namesOf(environment)).toEqual(Object.keys(wrong).sort());
    const { message, stack } = problemsOf(environment);
    for (const value of Object.values(environment))
      if (value && value.length > 5) expect(`${message}${stack}`).not.toContain(value);
  });

  test("that forgot half of its settings is told so instead of being pretended", () => {
    expect(namesOf({ PLATFORM_CLIENT_ID: "client-id" })).toEqual(
      REQUIRED.filter((name) => name !== "PLATFORM_CLIENT_ID"),
    );
    expect(namesOf({ ADMIN_KEY: "admin-key-0123456789" })).toContain("PLATFORM_APP_SECRET");
  });
});

describe("a setting", () => {
  test.each([
    ["SHOPIFY_API_KEY", "PLATFORM_CLIENT_ID"],
    ["SHOPIFY_API_SECRET", "PLATFORM_APP_SECRET"],
    ["SHOPIFY_APP_URL", "BASE_URL"],
  ] as const)("may come by the other tool's name: %s is %s", (alias, name) => {
    const value = DEPLOYED[name];
    expect(shape({ ...DEPLOYED, [name]: undefined, [alias]: value })[name]).toEqual(
      shape(DEPLOYED)[name],
    );
    expect(shape({ ...DEPLOYED, [name]: "", [alias]: value })[name]).toEqual(shape(DEPLOYED)[name]);
  });

  test("by its own name wins over the other tool's", () => {
    expect(shape({ ...DEPLOYED, SHOPIFY_API_KEY: "other" }).PLATFORM_CLIENT_ID).toBe("client-id");
  });

  test("that is empty is an unset one", () => {
    expect(readEnvironment({ PORT: "", HOST: "  ", ROLES: undefined })).toEqual({});
    expect(shape({ ...DEPLOYED, PORT: "", ROLES: " " }).PORT).toBe(3000);
  });

  test("is read without the spaces around it", () => {
    expect(shape({ ...DEPLOYED, PORT: " 0 ", ROLES: " worker , web " })).toMatchObject({
      PORT: 0,
      ROLES: ["worker", "web"],
    });
  });

  test("may hold two app secrets during a rotation, the first one first", () => {
    expect(
      shape({
        ...DEPLOYED,
        PLATFORM_APP_SECRET: "first-secret-0123456789, second-secret-0123456789",
      }).PLATFORM_APP_SECRET,
    ).toEqual(["first-secret-0123456789", "second-secret-0123456789"]);
    expect(namesOf({ ...DEPLOYED, PLATFORM_APP_SECRET: "first-secret-0123456789,short" })).toEqual([
      "PLATFORM_APP_SECRET",
    ]);
  });

  test.each([
    "http://127.0.0.1:4010",
    "http://localhost:4010/",
    "http://[::1]:4010",
    "https://anywhere.example",
  ])("that is an address may be https, or http to this machine: %s", (address) => {
    expect(shape({ ...DEPLOYED, CMS_API_URL: address }).CMS_API_URL).toBe(
      address.replace(/\/$/, ""),
    );
  });

  test.each([
    "http://127.0.0.1.example",
    "http://localhost.example",
    "http://10.0.0.1",
    "//x",
    "javascript:alert(1)",
  ])("that is an address is nothing else: %s", (address) => {
    expect(namesOf({ ...DEPLOYED, CMS_API_URL: address })).toEqual(["CMS_API_URL"]);
  });

  test("names the database of each further region", () => {
    expect(
      shape({
        ...DEPLOYED,
        DATABASE_URL_EU: "postgres://eu",
        DATABASE_URL_ASIA_1: "postgresql://asia",
        DATABASE_URL_EMPTY: "",
      }).regionDatabaseUrls,
    ).toEqual({ eu: "postgres://eu", "asia-1": "postgresql://asia" });
    expect(namesOf({ ...DEPLOYED, DATABASE_URL_DEFAULT: "postgres://x" })).toEqual([
      "DATABASE_URL_DEFAULT",
    ]);
  });
});

describe("the address for migrations", () => {
  const OWNER = "postgres://owner:owner-password@db.example/main";

  test("is kept by region, the home region among them", () => {
    expect(shape(DEPLOYED).directDatabaseUrls).toEqual({});
    expect(
      shape({
        ...DEPLOYED,
        DATABASE_URL_EU: "postgres://eu",
        DIRECT_DATABASE_URL: OWNER,
        DIRECT_DATABASE_URL_EU: "postgres://owner-of-eu",
      }).directDatabaseUrls,
    ).toEqual({ default: OWNER, eu: "postgres://owner-of-eu" });
  });

  test("is refused without the service's own, and no password stands in the message", () => {
    expect(namesOf({ ...DEPLOYED, DATABASE_URL: undefined, DIRECT_DATABASE_URL: OWNER })).toEqual([
      "DIRECT_DATABASE_URL",
    ]);
    const error = problemsOf({ ...DEPLOYED, DIRECT_DATABASE_URL_EU: OWNER });
    expect(error.problems.map(({ name }) => name)).toEqual(["DIRECT_DATABASE_URL_EU"]);
    expect(error.message).not.toContain("owner-password");
  });
});

describe("the sandbox", () => {
  test("runs by itself when no credentials are set, with what this machine makes for itself", () => {
    const config = shapeConfig({}, (isSandbox, isEmbedded) => {
      expect([isSandbox, isEmbedded]).toEqual([true, true]);
      return { ADMIN_KEY: "made-here-0123456789" };
    });
    expect(config).toMatchObject({
      isSandbox: true,
      isEmbedded: true,
      ADMIN_KEY: "made-here-0123456789",
    });
  });

  test.each<[string, Environment]>([
    ["a port, a role and a data folder", { PORT: "0", ROLES: "web", DATA_DIR: "/var/lib/x" }],
    ["a loopback host", { HOST: "localhost" }],
    ["another loopback address", { HOST: "127.0.0.2" }],
    ["the IPv6 loopback address", { HOST: "::1" }],
  ])("runs by itself beside %s", (_, environment) => {
    expect(shape(environment).isSandbox).toBe(true);
  });

  test.each<[string, Environment]>([
    ["a database", { DATABASE_URL: "postgres://x" }],
    ["a database of a region", { DATABASE_URL_EU: "postgres://eu" }],
    ["a public address", { BASE_URL: "https://identity.example" }],
    ["a host that others reach", { HOST: "0.0.0.0" }],
    ["an IPv6 host that others reach", { HOST: "::" }],
    ["a host name", { HOST: "service.internal" }],
    ["an admin key", { ADMIN_KEY: "admin-key-0123456789" }],
    ["a session secret", { JWT_SECRET: "jwt-secret-0123456789" }],
    ["a mail key", { EMAIL_API_KEY: "re_0123456789" }],
  ])("does not run by itself beside %s: what is missing is told", (_, environment) => {
    expect(namesOf(environment)).toEqual(
      REQUIRED.filter((name) => environment[name] === undefined),
    );
  });

  test("runs beside a database when it is switched on, with the secrets that this machine makes", () => {
    const config = shapeConfig(
      { SANDBOX: "on", DATABASE_URL: "postgres://x", HOST: "0.0.0.0" },
      (isSandbox) => (isSandbox ? { ADMIN_KEY: "made-here-0123456789" } : {}),
    );
    expect(config).toMatchObject({
      isSandbox: true,
      isEmbedded: false,
      ADMIN_KEY: "made-here-0123456789",
    });
  });

  const outside = (Object.keys(SETTINGS) as SettingName[]).filter(
    (name) => "outside" in SETTINGS[name],
  );
  test.each(outside)("never runs beside real credentials: %s", (name) => {
    const { message, problems } = problemsOf({
      SANDBOX: "on",
      [name]: "a-real-credential-0123456789",
    });
    expect(problems.map((problem) => problem.name)).toEqual(["SANDBOX"]);
    expect(message).toContain(name);
    expect(message).not.toContain("a-real-credential");
  });

  test("is off when it is switched off, and then everything is needed", () => {
    expect(namesOf({ SANDBOX: "off" })).toEqual(REQUIRED);
    expect(shape({ ...DEPLOYED, SANDBOX: "off" }).isSandbox).toBe(false);
    expect(shape({ ...DEPLOYED, SANDBOX: "auto" }).isSandbox).toBe(false);
  });
});

test("every setting that holds a secret is marked as one", () => {
  const secret = (Object.keys(SETTINGS) as SettingName[]).filter((name) =>
    /SECRET|_KEY$|TOKEN|DATABASE_URL/.test(name),
  );
  expect(secret.filter((name) => !("secret" in SETTINGS[name]))).toEqual([]);
});
