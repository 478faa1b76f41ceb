// The dashboard and the alert rules of docs/operations: their queries are PromQL, every metric in them exists, and
// every alert has its paragraph.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import "../../../app/http/metrics-endpoint.ts";
import { registry } from "../../../app/runtime/telemetry/metrics.ts";
import { filesBelow, root } from "../../support/source-files.ts";

const docs = resolve(import.meta.dirname, "../../../docs");
const read = (file: string) => readFileSync(join(docs, file), "utf8");
type Rule = { alert: string; expr: string; annotations: { summary: string; runbook_url: string } };
const { groups } = parse(read("operations/alerts.yml")) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read("operations/grafana-dashboard.json")) as {
  panels: { title: string; targets: { expr: string }[] }[];
};
const queries: [name: string, query: string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...dashboard.panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }): [string, string] => [title, expr]),
  ),
];

/** Grafana's own variable is no PromQL. */
const toPromql = (query: string) => query.replaceAll("$__rate_interval", "5m");

/** The nodes of a parsed query, by name. */
function nodesOf(query: string): { name: string; text: string }[] {
  const text = toPromql(query);
  const nodes: { name: string; text: string }[] = [];
  parser.parse(text).iterate({
    enter: (node) =>
      void nodes.push({
        name: node.type.isError ? "error" : node.name,
        text: text.slice(node.from, node.to),
      }),
  });
  return nodes;
}

/** A histogram is read by its parts. */
const exported = new Set(
  registry
    .getMetricsAsArray()
    .flatMap(({ name, type }) =>
      String(type) === "histogram"
        ? ["_bucket", "_count", "_sum"].map((part) => name + part)
        : name,
    ),
);

describe.each(queries)("%s", (_, query) => {
  test("is PromQL over metrics that /metrics has", () => {
    const nodes = nodesOf(query);
    expect(nodes.filter(({ name }) => name === "error")).toEqual([]);
    const names = nodes.filter(({ name }) => name === "Identifier").map(({ text }) => text);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !exported.has(name))).toEqual([]);
  });
});

/** What the queries compare labels with: of `a|b`, each; of a pattern, nothing. */
const labelValuesIn = (query: string): string[] =>
  nodesOf(query)
    .filter(({ name }) => name === "StringLiteral")
    .flatMap(({ text }) => text.slice(1, -1).split("|"))
    .filter((value) => /^\w+$/.test(value));

test("every label value that an alert or a panel names is one that the service has", () => {
  const source = filesBelow("app")
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n");
  const named = queries.flatMap(([, query]) => labelValuesIn(query));
  expect(named).toContain("invalid_signature");
  expect([...new Set(named)].filter((value) => !source.includes(`"${value}"`))).toEqual([]);
});

test("the check finds a metric that does not exist, and a query that is none", () => {
  expect(nodesOf("rate(no_such_total[5m])").some(({ text }) => text === "no_such_total")).toBe(
    true,
  );
  expect(exported.has("no_such_total")).toBe(false);
  expect(nodesOf("sum by (").some(({ name }) => name === "error")).toBe(true);
});

test("every metric of the service is on the dashboard or in an alert", () => {
  const used = queries.map(([, query]) => query).join("\n");
  const own = registry
    .getMetricsAsArray()
    .map(({ name }) => name)
    .filter((name) => !/^(process|nodejs)_/.test(name));
  expect(own.filter((name) => !used.includes(name))).toEqual([]);
});

test.each(rules.map(({ alert, annotations }) => [alert, annotations] as const))(
  "%s has a paragraph in the runbook",
  (_, { summary, runbook_url: address }) => {
    expect(summary).toMatch(/\.$/);
    const [file = "", anchor] = address.split("#");
    const headings = [...read(file).matchAll(/^#{2,4} (.+)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, "")
        .replaceAll(/\s+/g, "-"),
    );
    expect(headings).toContain(anchor);
  },
);
