// The Helm chart: what it renders where Helm is installed, and what holds without it.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { SETTINGS } from "../../../app/runtime/settings.ts";

const root = resolve(import.meta.dirname, "../../..");
const chart = join(root, "docs/operations/helm");
const read = (file: string) => readFileSync(join(root, file), "utf8");

type Resource = { kind: string; metadata: { name: string }; spec: Record<string, unknown> };
const resourcesIn = (text: string) =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Resource | null)
    .filter((resource) => resource !== null)
    .toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)));
const nameOf = ({ kind, metadata }: Resource) => `${kind}/${metadata.name}`;

const hasHelm = spawnSync("helm", ["version"]).status === 0;
const helm = (...set: string[]) => {
  const options = set.flatMap((one) => ["--set", one]);
  const { stdout, stderr, status } = spawnSync("helm", ["template", "identity", chart, ...options]);
  return { status, output: stdout.toString(), error: stderr.toString() };
};

describe("the chart", () => {
  const values = parse(read("docs/operations/helm/values.yaml")) as {
    settings: Record<string, string>;
  };
  const schema = JSON.parse(read("docs/operations/helm/values.schema.json")) as {
    properties: Record<string, { propertyNames?: { not: { anyOf: [{ enum: string[] }] } } }>;
  };

  test("is of the service's version", () => {
    const { version } = JSON.parse(read("package.json")) as { version: string };
    expect(parse(read("docs/operations/helm/Chart.yaml"))).toMatchObject({ appVersion: version });
  });

  test("has settings that exist, and a schema for each of its values", () => {
    expect(Object.keys(values.settings).filter((name) => !Object.hasOwn(SETTINGS, name))).toEqual(
      [],
    );
    expect(Object.keys(schema.properties)).toEqual(Object.keys(values));
  });

  test("lets no secret setting into the ConfigMap", () => {
    const secrets = Object.entries(SETTINGS)
      .filter(([, setting]) => "secret" in setting)
      .flatMap(([name, setting]) => [
        name,
        ...("aliases" in setting ? (setting.aliases ?? []) : []),
      ]);
    const refused = schema.properties.settings?.propertyNames?.not.anyOf[0].enum;
    expect(refused).toEqual([...secrets, "AWS_SECRET_ACCESS_KEY"].toSorted());
  });
});

describe.runIf(hasHelm)("rendered by Helm", () => {
  test("is kubernetes/identity.yaml", () => {
    const { output, error } = helm();
    expect(error).not.toContain("Error");
    expect(resourcesIn(output)).toEqual(
      resourcesIn(read("docs/operations/kubernetes/identity.yaml")),
    );
  });

  test.each([
    ["a secret among the settings", "settings.SECRETS_KEY=0123456789abcdef"],
    ["a number of replicas that is none", "web.replicas=many"],
    ["a value that the chart does not have", "web.replicaCount=3"],
  ])("refuses %s", (_, set) => {
    const { status, error } = helm(set);
    expect(status).not.toBe(0);
    expect(error).toContain("values don't meet the specifications of the schema");
  });

  test("has autoscalers, an ingress and a pod monitor where they are switched on", () => {
    const { output } = helm(
      "web.autoscaling.isEnabled=true",
      "worker.autoscaling.isEnabled=true",
      "ingress.isEnabled=true",
      "ingress.tlsSecret=certificate",
      "podMonitor.isEnabled=true",
    );
    const resources = new Map(resourcesIn(output).map((one) => [nameOf(one), one]));
    for (const part of ["web", "worker"]) {
      expect(resources.get(`Deployment/identity-${part}`)?.spec).not.toHaveProperty("replicas");
      expect(resources.get(`HorizontalPodAutoscaler/identity-${part}`)?.spec).toMatchObject({
        scaleTargetRef: { kind: "Deployment", name: `identity-${part}` },
      });
    }
    expect(resources.get("Ingress/identity")?.spec).toMatchObject({
      rules: [
        {
          host: "app.example.com",
          http: {
            paths: [{ backend: { service: { name: "identity", port: { name: "http" } } } }],
          },
        },
      ],
      tls: [{ hosts: ["app.example.com"], secretName: "certificate" }],
    });
    expect(resources.get("PodMonitor/identity")?.spec).toMatchObject({
      selector: { matchLabels: { app: "identity" } },
      podMetricsEndpoints: [{ port: "http", path: "/metrics" }],
    });
  });

  test("gives each release resources of its own", () => {
    const { stdout } = spawnSync("helm", ["template", "second", chart]);
    const names = resourcesIn(stdout.toString()).map(({ metadata }) => metadata.name);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !name.startsWith("second"))).toEqual([]);
  });
});
