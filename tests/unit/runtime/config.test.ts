// The configuration is read once and rejected as a whole: every problem at once, by name and kind,
// never by value.
import { describe, expect, test } from "vitest";
import {
  ConfigError,
  readEnvironment,
  shapeConfig,
  type Config,
  type Environment,
} from "../../../app/runtime/config.ts";
import { SETTINGS, type SettingName } from "../../../app/runtime/settings.ts";

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
  test("with all required settings is accepted, and the rest has its defaults", () => {
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

  test("gets every missing setting at once with its purpose", () => {
    expect(namesOf({ SANDBOX: "off" })).toEqual(REQUIRED);
    const { message } = problemsOf({ SANDBOX: "off" });
    for (const name of REQUIRED)
      expect(message).toContain(`${name}: is missing. ${SETTINGS[name as SettingName].about}`);
  });

  test.each(REQUIRED)("gets an error that only %s is missing", (name) => {
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
    DNS_SERVERS: "wrong-value",
    ADMIN_EMAILS: "ops@example.com,wrong-value",
    OUTBOUND_ALLOW: "erp.example:8443,wrong/value",
    ERP_TOKEN: "wrong-value-\u044f-012345",
    BACKEND_API_KEY: "wrong-value\n0123456789",
  };
  test.each(Object.entries(wrong))(
    "gets an error that %s is malformed, without its value",
    (name, value) => {
      const error = problemsOf({ ...DEPLOYED, [name]: value });
      expect(error.problems.map((problem) => problem.name)).toEqual([name]);
      expect(error.message).not.toContain(value);
    },
  );

  test.each([
    ["ADMIN_KEY", "admin-key\n0123456789"],
    ["ADMIN_KEY", "\u043a\u043b\u044e\u0447-0123456789-0123456789"],
    ["ARCHIVE_URL", "s3://?region=eu-1"],
    ["ARCHIVE_URL", "s3:///prefix"],
    ["ARCHIVE_URL", "s3://bucket?endpoint=http://objects.example"],
    ["ARCHIVE_URL", "s3://bucket?endpoint=http://10.0.0.7:9000"],
    ["ARCHIVE_URL", "s3://bucket?endpoint=objects.example"],
    ["ARCHIVE_URL", "s3://key:secret@bucket"],
    ["ARCHIVE_URL", "s3://bucket/x#1?endpoint=https://objects.example"],
    ["OUTBOUND_ALLOW", "::::"],
    ["DNS_SERVERS", "192.0.2.1,ns.example"],
  ])("gets an error that %s cannot be used: %j", (name, value) => {
    const error = problemsOf({ ...DEPLOYED, [name]: value });
    expect(error.problems.map((problem) => problem.name)).toEqual([name]);
    expect(error.message).not.toContain(value);
  });

  test.each([
    ["ADMIN_KEY", "pässword with spaces 0123"],
    ["ARCHIVE_URL", "s3://bucket"],
    ["ARCHIVE_URL", "s3://bucket/prefix?endpoint=https://objects.example&region=eu-1"],
    ["ARCHIVE_URL", "s3://bucket?endpoint=http://127.0.0.1:9000"],
    ["ARCHIVE_URL", "s3://identity-archive/objects?endpoint=http://archive:9000&region=us-east-1"],
    ["ARCHIVE_URL", "file:/var/archive"],
    ["OUTBOUND_ALLOW", "127.0.0.1,::1,erp.internal:8443,my_host,10.0.0.7:80,file,file:/drops"],
    ["DNS_SERVERS", "192.0.2.1,192.0.2.1:5353,2001:db8::1,[2001:db8::1]:53"],
    ["ADMIN_EMAILS", "ops@example.com, second@example.com"],
  ])("may have %s as %j", (name, value) => {
    expect(() => shape({ ...DEPLOYED, [name]: value })).not.toThrow();
  });

  const pairs = {
    BACKEND_BASE_URL: "https://backend.example",
    BACKEND_API_KEY: "backend-key-0123456789",
    EDGE_GATE_JWKS_URL: "https://edge.example/keys",
    EDGE_GATE_AUDIENCE: "audience-of-the-edge",
    EDGE_GATE_ISSUER: "https://edge.example",
  };
  test.each([
    ["BACKEND_BASE_URL", ["BACKEND_API_KEY"]],
    ["EDGE_GATE_JWKS_URL", ["EDGE_GATE_AUDIENCE"]],
    ["EDGE_GATE_AUDIENCE", ["EDGE_GATE_JWKS_URL"]],
    ["EDGE_GATE_ISSUER", ["EDGE_GATE_JWKS_URL", "EDGE_GATE_AUDIENCE"]],
  ] as const)("gets an error that %s alone is not enough, and what it needs", (name, needed) => {
    const error = problemsOf({ ...DEPLOYED, [name]: pairs[name] });
    expect(error.problems.map((problem) => problem.name)).toEqual([name]);
    for (const other of needed) expect(error.message).toContain(other);
    expect(error.message).not.toContain(pairs[name]);
  });

  test("may have each with what it needs, and the backend's key alone, for those who call here", () => {
    expect(() => shape({ ...DEPLOYED, ...pairs })).not.toThrow();
    expect(() => shape({ ...DEPLOYED, BACKEND_API_KEY: pairs.BACKEND_API_KEY })).not.toThrow();
  });

  test("may have one half of the provider's client: the platform's configuration may hold the other", () => {
    for (const name of ["FEDERATED_CLIENT_ID", "FEDERATED_CLIENT_SECRET"])
      expect(() => shape({ ...DEPLOYED, [name]: "half-of-the-client" })).not.toThrow();
  });

  test("gets all malformed settings together, without the value of any setting", () => {
    const environment = { ...DEPLOYED, ...wrong, CMS_API_TOKEN: "x" };
    expect(namesOf(environment)).toEqual(Object.keys(wrong).sort());
    const { message, stack } = problemsOf(environment);
    for (const value of Object.values(environment))
      if (value && value.length > 5) expect(`${message}${stack}`).not.toContain(value);
  });

  test("with half of its settings gets an error instead of the sandbox", () => {
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
  ] as const)("may have the other tool's name: %s is %s", (alias, name) => {
    const value = DEPLOYED[name];
    expect(shape({ ...DEPLOYED, [name]: undefined, [alias]: value })[name]).toEqual(
      shape(DEPLOYED)[name],
    );
    expect(shape({ ...DEPLOYED, [name]: "", [alias]: value })[name]).toEqual(shape(DEPLOYED)[name]);
  });

  test("under its own name wins over the other tool's", () => {
    expect(shape({ ...DEPLOYED, SHOPIFY_API_KEY: "other" }).PLATFORM_CLIENT_ID).toBe("client-id");
  });

  test("that is empty counts as unset", () => {
    expect(readEnvironment({ PORT: "", HOST: "  ", ROLES: undefined })).toEqual({});
    expect(shape({ ...DEPLOYED, PORT: "", ROLES: " " }).PORT).toBe(3000);
  });

  test("is trimmed", () => {
    expect(shape({ ...DEPLOYED, PORT: " 0 ", ROLES: " worker , web " })).toMatchObject({
      PORT: 0,
      ROLES: ["worker", "web"],
    });
  });

  test("may contain two app secrets during a rotation, the first one first", () => {
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
  ])("for an address may be https, or http to this machine: %s", (address) => {
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
  ])("for an address rejects anything else: %s", (address) => {
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

describe("the cells that a process serves", () => {
  test("are all that it has an address of, or those of CELLS", () => {
    expect(shape(DEPLOYED).servedCells).toBeNull();
    expect(
      shape({ ...DEPLOYED, DATABASE_URL_ASIA_1: "postgres://asia", CELLS: "default, asia-1" })
        .servedCells,
    ).toEqual(new Set(["default", "asia-1"]));
  });

  test("have an address each", () => {
    const error = problemsOf({ ...DEPLOYED, CELLS: "default,eu-2" });
    expect(error.problems).toEqual([{ name: "CELLS", problem: "eu-2 needs DATABASE_URL_EU_2" }]);
    expect(namesOf({ ...DEPLOYED, CELLS: "Eu!" })).toContain("CELLS");
  });
});

describe("the address for migrations", () => {
  const OWNER = "postgres://owner:owner-password@db.example/main";

  test("is set per region, including the home region", () => {
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

  test("is rejected without the service's own, and no password is in the message", () => {
    expect(namesOf({ ...DEPLOYED, DATABASE_URL: undefined, DIRECT_DATABASE_URL: OWNER })).toEqual([
      "DIRECT_DATABASE_URL",
    ]);
    const error = problemsOf({ ...DEPLOYED, DIRECT_DATABASE_URL_EU: OWNER });
    expect(error.problems.map(({ name }) => name)).toEqual(["DIRECT_DATABASE_URL_EU"]);
    expect(error.message).not.toContain("owner-password");
  });
});

describe("the address of a replica", () => {
  const REPLICA = "postgres://app:replica-password@standby.example/main";

  test("is set per region, including the home region", () => {
    expect(shape(DEPLOYED).replicaUrls).toEqual({});
    expect(
      shape({
        ...DEPLOYED,
        DATABASE_URL_EU: "postgres://eu",
        DATABASE_REPLICA_URL: REPLICA,
        DATABASE_REPLICA_URL_EU: "postgres://standby-of-eu",
      }).replicaUrls,
    ).toEqual({ default: REPLICA, eu: "postgres://standby-of-eu" });
  });

  test("is rejected without the primary's, with several hosts, and as the address of a primary", () => {
    expect(namesOf({ ...DEPLOYED, DATABASE_REPLICA_URL_EU: REPLICA })).toEqual([
      "DATABASE_REPLICA_URL_EU",
    ]);
    expect(
      namesOf({ ...DEPLOYED, DATABASE_URL: undefined, DATABASE_REPLICA_URL: REPLICA }),
    ).toEqual(["DATABASE_REPLICA_URL"]);
    for (const url of [
      "postgres://app:replica-password@a,b/main",
      `${REPLICA}?target_session_attrs=read-write`,
      "mysql://app:replica-password@a/main",
    ]) {
      const error = problemsOf({ ...DEPLOYED, DATABASE_REPLICA_URL: url });
      expect(error.problems.map(({ name }) => name)).toEqual(["DATABASE_REPLICA_URL"]);
      expect(error.message).not.toContain("replica-password");
    }
  });
});

describe("the sandbox", () => {
  test("runs by itself when no credentials are set, with what this machine makes for itself", () => {
    const config = shapeConfig({}, (mode) => {
      expect(mode).toEqual({ isSandbox: true, isEmbedded: true, isDevelopment: false });
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
  ])("is on by default beside %s", (_, environment) => {
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
  ])("is off by default beside %s: the missing settings are listed", (_, environment) => {
    expect(namesOf(environment)).toEqual(
      REQUIRED.filter((name) => environment[name] === undefined),
    );
  });

  test("runs beside a database when it is enabled, with generated local secrets", () => {
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

  test("can be disabled, and then all settings are required", () => {
    expect(namesOf({ SANDBOX: "off" })).toEqual(REQUIRED);
    expect(shape({ ...DEPLOYED, SANDBOX: "off" }).isSandbox).toBe(false);
    expect(shape({ ...DEPLOYED, SANDBOX: "auto" }).isSandbox).toBe(false);
  });
});

test("every setting that contains a secret is marked as one", () => {
  const secret = (Object.keys(SETTINGS) as SettingName[]).filter((name) =>
    /SECRET|_KEY$|TOKEN|DATABASE_URL/.test(name),
  );
  expect(secret.filter((name) => !("secret" in SETTINGS[name]))).toEqual([]);
});

describe("the environment of `shopify app dev`", () => {
  /** What the CLI (4.8) gives the web process, beside PATH and the like. */
  const CLI = {
    SHOPIFY_API_KEY: "client-id-of-the-app",
    SHOPIFY_API_SECRET: "client-secret-0123456789",
    HOST: "https://tunnel.example",
    APP_URL: "https://tunnel.example",
    SCOPES: "read_customers,write_customers",
    NODE_ENV: "development",
    APP_ENV: "development",
    BACKEND_PORT: "41001",
    FRONTEND_PORT: "41002",
    REMIX_DEV_ORIGIN: "https://tunnel.example",
    PORT: "41001",
    SERVER_PORT: "41001",
  };
  const OWN = {
    SECRETS_KEY: Buffer.alloc(32, 1).toString("base64"),
    JWT_SECRET: "jwt-secret-0123456789",
    ADMIN_KEY: "admin-key-0123456789",
    WORKER_WEBHOOK_SECRET: "worker-secret-0123456789",
  };

  test("is complete with the secrets that this machine makes, and runs no sandbox", () => {
    const config = shapeConfig(CLI, (mode) => {
      expect(mode).toEqual({ isSandbox: false, isEmbedded: true, isDevelopment: true });
      return OWN;
    });
    expect(config).toMatchObject({
      BASE_URL: "https://tunnel.example",
      HOST: "127.0.0.1",
      PORT: 41001,
      PLATFORM_CLIENT_ID: "client-id-of-the-app",
      SCOPES: ["read_customers", "write_customers"],
      isDevelopment: true,
    });
  });

  test("names the public address in APP_URL, and in HOST where that is a URL", () => {
    const { APP_URL: _, ...withoutAppUrl } = CLI;
    for (const environment of [{ ...CLI, HOST: "" }, withoutAppUrl, { ...CLI, HOST: "0.0.0.0" }])
      expect(shapeConfig(environment, () => OWN).BASE_URL).toBe("https://tunnel.example");
    expect(shapeConfig({ ...CLI, HOST: "0.0.0.0" }, () => OWN).HOST).toBe("0.0.0.0");
    expect(shapeConfig({ ...CLI, BASE_URL: "https://own.example" }, () => OWN).BASE_URL).toBe(
      "https://own.example",
    );
  });
});
