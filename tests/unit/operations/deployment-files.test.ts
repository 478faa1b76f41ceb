// The files of docs/operations that deploy the service, held to the service: its settings, paths, ports and times.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { pathOfFile } from "../../../app/http/route-table.ts";
import { shapeConfig } from "../../../app/runtime/config.ts";
import { SETTINGS } from "../../../app/runtime/settings.ts";

const root = resolve(import.meta.dirname, "../../..");
const operations = join(root, "docs/operations");
const read = (file: string) => readFileSync(join(operations, file), "utf8");
const page = readFileSync(join(root, "docs/deployment.md"), "utf8");

/** What the SDK of the archive reads. */
const OF_THE_SDK = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"];
const isSetting = (name: string) =>
  Object.hasOwn(SETTINGS, name) ||
  OF_THE_SDK.includes(name) ||
  /^(DIRECT_)?DATABASE_URL_[A-Z0-9_]+$/.test(name);
/** The grace time, 30 seconds for what is in flight, and a little. */
const MIN_STOP_SECONDS = Number(SETTINGS.STOP_GRACE_SECONDS.default) + 30 + 5;
const PORT = Number(SETTINGS.PORT.default);
const isPath = (path: string) =>
  existsSync(join(root, "app/routes", `${path.slice(1).replaceAll("/", ".")}.ts`)) &&
  pathOfFile(`${path.slice(1).replaceAll("/", ".")}.ts`) === path;
const VERSION_TAG = /:(v?\d+\.\d+|RELEASE\.\d{4}-\d\d-\d\dT)/;

/** Values of the right form for what a deployment must fill in. */
const SECRET = "0123456789abcdef0123";
const valueOf = (name: string): string =>
  name === "SECRETS_KEY"
    ? Buffer.alloc(32, 1).toString("base64")
    : name === "BASE_URL"
      ? "https://app.example.com"
      : SECRET;
const namesIn = (text: string) =>
  [...text.matchAll(/(?<!\$)\$\{([A-Z_]+)/g)].map(([, name]) => name as string);
const fill = (text: string) =>
  text.replaceAll(/\$\{([A-Z_]+)(?::[?-][^}]*)?\}/g, (_, name: string) => valueOf(name));
const accept = (environment: Record<string, string>) =>
  shapeConfig({ NODE_ENV: "production", ...environment }, () => ({}));

describe("docker-compose.yml", () => {
  type Container = {
    image: string;
    build?: { context: string; dockerfile: string };
    environment?: Record<string, string>;
    depends_on?: string[] | Record<string, unknown>;
    volumes?: string[];
    ports?: string[];
    secrets?: string[];
    stop_grace_period?: string;
  };
  const source = read("compose/docker-compose.yml");
  const file = parse(source, { merge: true }) as {
    services: Record<string, Container>;
    volumes: Record<string, null>;
    secrets: Record<string, { environment: string }>;
  };
  const services = Object.entries(file.services);
  const ours = services.filter(([, { build }]) => build);

  test("runs two web processes, a worker and the migration from the project's image", () => {
    expect(ours.map(([name]) => name)).toEqual(["web-1", "web-2", "worker", "migrate"]);
    for (const [, { build }] of ours)
      expect(
        existsSync(join(operations, "compose", build?.context ?? "", build?.dockerfile ?? "")),
      ).toBe(true);
    expect(ours.flatMap(([, { environment }]) => environment?.ROLES?.split(",") ?? [])).toEqual([
      "web",
      "web",
      "worker",
      "scheduler",
    ]);
  });

  test("pins every other image to a version", () => {
    for (const [, { image, build }] of services) if (!build) expect(image).toMatch(VERSION_TAG);
    const [, pooler] = /pgbouncer:v1\.(\d+)/.exec(file.services.pooler?.image ?? "") ?? [];
    expect(Number(pooler)).toBeGreaterThanOrEqual(21);
  });

  test("gives the service settings that exist, and all that it needs", () => {
    for (const [name, { environment = {} }] of ours) {
      expect(Object.keys(environment).filter((one) => !isSetting(one))).toEqual([]);
      if (name === "migrate") continue;
      const filled = Object.fromEntries(
        Object.entries(environment).map(([one, value]) => [one, fill(value)]),
      );
      const config = accept(filled);
      expect(config).toMatchObject({ isSandbox: false, isEmbedded: false });
      expect(Object.keys(config.replicaUrls)).toEqual(["default"]);
    }
  });

  test("lets only the migration have the owner's password", () => {
    const owners = ours.filter(([, { environment }]) =>
      JSON.stringify(environment).includes("OWNER_DB_PASSWORD"),
    );
    expect(owners.map(([name]) => name)).toEqual(["migrate"]);
  });

  test("stops the service as slowly as it needs", () => {
    for (const [name, { stop_grace_period: period }] of ours)
      if (name !== "migrate")
        expect(Number.parseInt(period ?? "")).toBeGreaterThanOrEqual(MIN_STOP_SECONDS);
  });

  test("refers to what exists: services, volumes, secrets, files and variables", () => {
    for (const [, { depends_on: needed = [], volumes = [], secrets = [] }] of services) {
      for (const name of Array.isArray(needed) ? needed : Object.keys(needed))
        expect(file.services).toHaveProperty(name);
      for (const volume of volumes) {
        const [from = ""] = volume.split(":");
        if (from.startsWith(".")) expect(existsSync(join(operations, "compose", from))).toBe(true);
        else expect(Object.keys(file.volumes)).toContain(from);
      }
      for (const secret of secrets) expect(file.secrets).toHaveProperty(secret);
    }
    const example = read("compose/.env.example");
    const wanted = new Set([
      ...namesIn(source),
      ...Object.values(file.secrets).map(({ environment }) => environment),
    ]);
    const given = new Set([...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name as string));
    expect([...wanted].filter((name) => name !== "VERSION").toSorted()).toEqual(
      [...given].toSorted(),
    );
  });

  test("has a proxy and a Prometheus that ask the service's own paths at its own port", () => {
    const proxy = read("compose/Caddyfile");
    const [, upstreams = ""] = /reverse_proxy (.*) \{/.exec(proxy) ?? [];
    expect(upstreams.split(" ")).toEqual([`web-1:${PORT}`, `web-2:${PORT}`]);
    const [, health = ""] = /health_uri (\S+)/.exec(proxy) ?? [];
    expect(isPath(health)).toBe(true);
    const prometheus = parse(read("compose/prometheus.yml")) as {
      rule_files: string[];
      scrape_configs: {
        metrics_path: string;
        authorization: { credentials_file: string };
        static_configs: { targets: string[] }[];
      }[];
    };
    const [scrape] = prometheus.scrape_configs;
    expect(isPath(scrape?.metrics_path ?? "")).toBe(true);
    expect(scrape?.static_configs[0]?.targets).toEqual(
      ["web-1", "web-2", "worker"].map((name) => `${name}:${PORT}`),
    );
    expect(scrape?.authorization.credentials_file).toBe("/run/secrets/admin_key");
    const mounted = file.services.prometheus?.volumes?.map((volume) => volume.split(":")[1]);
    expect(mounted).toEqual(expect.arrayContaining(prometheus.rule_files));
  });

  test("provisions Grafana with the dashboard and its data source", () => {
    const volumes = file.services.grafana?.volumes ?? [];
    expect(volumes.some((one) => one.startsWith("../grafana-dashboard.json:"))).toBe(true);
    const { datasources } = parse(read("compose/grafana/datasource.yml")) as {
      datasources: { type: string; url: string }[];
    };
    expect(datasources).toMatchObject([{ type: "prometheus", url: "http://prometheus:9090" }]);
    const { providers } = parse(read("compose/grafana/dashboards.yml")) as {
      providers: { options: { path: string } }[];
    };
    expect(volumes.join()).toContain(`${providers[0]?.options.path}/`);
  });
});

describe("kubernetes/identity.yaml", () => {
  type Probe = { httpGet: { path: string; port: string } };
  type Pod = {
    metadata: { labels: Record<string, string> };
    spec: {
      terminationGracePeriodSeconds?: number;
      containers: {
        image: string;
        env?: { name: string; value: string }[];
        envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
        ports?: { name: string; containerPort: number }[];
        readinessProbe?: Probe;
        livenessProbe?: Probe;
        startupProbe?: Probe;
        securityContext: { runAsNonRoot: boolean };
      }[];
    };
  };
  type Labels = Record<string, string>;
  type Resource = {
    kind: string;
    metadata: { name: string };
    data?: Record<string, string>;
    spec: {
      template?: Pod;
      selector?: Labels & { matchLabels?: Labels };
      ports?: { targetPort: string }[];
    };
  };
  const documents = parseAllDocuments(read("kubernetes/identity.yaml"));
  const resources = documents.map((document) => document.toJS() as Resource);
  const ofKind = (kind: string) => resources.filter((resource) => resource.kind === kind);
  const [settings] = ofKind("ConfigMap");
  const kustomization = parse(read("kubernetes/kustomization.yaml")) as {
    resources: string[];
    images: { name: string; newTag: string }[];
  };
  /** The keys that the page tells to put into a Secret. */
  const keysOf = (secret: string) => {
    const [, command = ""] =
      new RegExp(`create secret generic ${secret} ((?:.*\\\\\\n)*.*)`).exec(page) ?? [];
    return [...command.matchAll(/--from-literal=([A-Z_]+)=/g)].map(([, name]) => name as string);
  };

  test("is YAML without errors, of one project and one pinned image", () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(kustomization.resources).toEqual(["identity.yaml"]);
    const [image] = kustomization.images;
    expect(image?.newTag).toMatch(/^\d+\.\d+\.\d+$/);
    for (const { spec } of resources)
      for (const container of spec?.template?.spec.containers ?? []) {
        expect(container.image).toBe(`${image?.name}:${image?.newTag}`);
        expect(container.securityContext.runAsNonRoot).toBe(true);
      }
  });

  test("gives the service settings that exist, and with the Secret of the page all that it needs", () => {
    const secrets = Object.fromEntries(
      keysOf("identity-secrets").map((name) => [
        name,
        name.startsWith("DIRECT_DATABASE_URL") || name.startsWith("DATABASE_")
          ? "postgresql://app:password@db.example/app"
          : valueOf(name),
      ]),
    );
    const deployments = ofKind("Deployment");
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual([
      "identity-web",
      "identity-worker",
    ]);
    for (const { spec } of deployments) {
      const [container] = spec.template?.spec.containers ?? [];
      const environment = {
        ...settings?.data,
        ...secrets,
        ...Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value])),
      };
      expect(Object.keys(environment).filter((name) => !isSetting(name))).toEqual([]);
      expect(accept(environment).isSandbox).toBe(false);
      expect(container?.envFrom).toEqual([
        { configMapRef: { name: settings?.metadata.name } },
        { secretRef: { name: "identity-secrets" } },
      ]);
    }
    expect(keysOf("identity-owner")).toEqual(["DATABASE_URL", "DIRECT_DATABASE_URL"]);
    expect(ofKind("Job")[0]?.spec.template?.spec.containers[0]?.envFrom).toEqual([
      { secretRef: { name: "identity-owner" } },
    ]);
  });

  test("asks the service's own paths at its own port, and stops it as slowly as it needs", () => {
    for (const { spec } of ofKind("Deployment")) {
      const pod = spec.template?.spec;
      expect(pod?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(MIN_STOP_SECONDS);
      const [container] = pod?.containers ?? [];
      expect(container?.ports).toEqual([{ name: "http", containerPort: PORT }]);
      expect(container?.readinessProbe?.httpGet).toEqual({ path: "/health/ready", port: "http" });
      for (const probe of [container?.livenessProbe, container?.startupProbe])
        expect(probe?.httpGet).toEqual({ path: "/health/live", port: "http" });
    }
    expect(["/health/ready", "/health/live"].filter((path) => !isPath(path))).toEqual([]);
  });

  test("selects pods that exist", () => {
    const labels = resources.map(({ spec }) => spec?.template?.metadata.labels);
    for (const { spec } of resources) {
      const wanted = spec?.selector?.matchLabels ?? spec?.selector;
      if (wanted) expect(labels).toContainEqual(wanted);
    }
  });
});

describe("fly.toml", () => {
  const source = read("fly.toml");
  const section = (name: string) =>
    new RegExp(`^\\[${name}\\]\\n((?:[^[].*\\n|\\n)*)`, "m").exec(source)?.[1] ?? "";
  const valueIn = (text: string, key: string) =>
    new RegExp(`^\\s*${key} = "?([^"\\n]*)"?$`, "m").exec(text)?.[1];

  test("sets settings that exist, for roles that exist", () => {
    const names = [...section("env").matchAll(/^\s*([A-Z_]+) =/gm)].map(([, name]) => name ?? "");
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !isSetting(name))).toEqual([]);
    const roles = [...section("processes").matchAll(/ROLES=(\S+)/g)].flatMap(([, list = ""]) =>
      list.split(","),
    );
    expect(roles.toSorted()).toEqual(["scheduler", "web", "worker"]);
  });

  test("asks the service's own path at its own port, and stops it as slowly as it needs", () => {
    expect(Number(valueIn(source, "kill_timeout"))).toBeGreaterThanOrEqual(MIN_STOP_SECONDS);
    expect(Number(valueIn(source, "internal_port"))).toBe(PORT);
    expect(isPath(valueIn(source, "path") ?? "")).toBe(true);
    expect(
      existsSync(join(dirname(join(operations, "fly.toml")), valueIn(source, "dockerfile") ?? "")),
    ).toBe(true);
  });
});
