// What stands twice for people's sake is held to its one source.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMPLIANCE_TOPICS, WEBHOOK_TOPICS } from "../app/domain/tenants/webhook-topics.ts";
import { PROXY_MOUNT } from "../app/http/app-proxy.ts";
import { pathOfFile } from "../app/http/route-table.ts";
import { WEBHOOK_API_VERSION } from "../app/integrations/storefront.ts";
import { shapeConfig } from "../app/runtime/config.ts";
import { APP_PROXY_PATH } from "../app/sandbox/app-proxy.ts";
import { renderEnvironmentExample, withConfigurationTable } from "../scripts/write-docs.ts";
import { CUSTOMER_2024_10, CUSTOMER_2026_07 } from "./support/payloads.ts";

const root = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("the README", () => {
  it("lists every setting as the service reads it", () => {
    expect(withConfigurationTable(read("README.md"))).toBe(read("README.md"));
  });

  it("has every setting in .env.example, with no value of a secret", () => {
    expect(read(".env.example")).toBe(renderEnvironmentExample());
  });

  it("links only to files that are there", () => {
    const targets = [...read("README.md").matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(
      ([, target]) => target as string,
    );
    expect(targets.length).toBeGreaterThan(5);
    expect(targets.filter((target) => !existsSync(join(root, target)))).toEqual([]);
  });

  it("has a document of every attack whose tests are there", () => {
    const targets = [...read("docs/security.md").matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(
      ([, target]) => target as string,
    );
    expect(targets.filter((target) => target.startsWith("../tests/")).length).toBeGreaterThan(40);
    expect(targets.filter((target) => !existsSync(join(root, "docs", target)))).toEqual([]);
  });

  it("sends the same payloads in its tour as the tests do", () => {
    expect(read("docs/tour/customer-update-2026-07.json")).toBe(CUSTOMER_2026_07);
    expect(read("docs/tour/customer-update-2024-10.json")).toBe(CUSTOMER_2024_10);
  });
});

describe("the app manifest", () => {
  const manifest = read("shopify.app.toml");
  const declared = (key: string) =>
    [
      ...manifest.matchAll(
        new RegExp(`^\\s*${key} = \\["([^"]+)"\\]\\n\\s*uri = "([^"]+)"$`, "gm"),
      ),
    ].map(([, topic, uri]) => `${topic} ${uri}`);
  const values = (pattern: RegExp) =>
    [...manifest.matchAll(pattern)].map(([, value]) => value as string);

  it("names beside every subscription the route that handles it", () => {
    const subscriptions = manifest.split("[[webhooks.subscriptions]]").slice(1);
    expect(subscriptions.length).toBeGreaterThan(10);
    for (const subscription of subscriptions) {
      const [, file = ""] = /# Handled by: (\S+)/.exec(subscription) ?? [];
      const [, uri = ""] = /uri = "([^"]+)"/.exec(subscription) ?? [];
      expect([uri, existsSync(join(root, file))]).toEqual([uri, true]);
      const path = pathOfFile(file.replace("app/routes/", "")).replace(
        ":topic",
        uri.split("/")[2] as string,
      );
      expect(path).toBe(uri);
    }
  });

  it("subscribes to exactly the topics that have a handler, at their addresses", () => {
    expect(declared("topics")).toEqual(
      WEBHOOK_TOPICS.map(({ name, slug }) => `${name} /webhooks/${slug}`),
    );
  });

  it("sends the three privacy topics to the addresses that answer them", () => {
    expect(declared("compliance_topics")).toEqual(
      COMPLIANCE_TOPICS.map(({ name, path }) => `${name} ${path}`),
    );
    for (const { path } of COMPLIANCE_TOPICS)
      expect(existsSync(join(root, `app/routes${path.replace("/gdpr/", "/gdpr.")}.ts`))).toBe(true);
  });

  it("asks for the scopes that the install asks for, in the version that payloads are read in", () => {
    const { SCOPES } = shapeConfig({ SANDBOX: "on", DATABASE_URL: "postgres://x" }, () => ({}));
    expect(values(/^scopes = "([^"]+)"$/gm)).toEqual([SCOPES.join(",")]);
    expect(values(/^api_version = "([^"]+)"$/gm)).toEqual([WEBHOOK_API_VERSION]);
  });

  it("lets a theme reach below /apps/crm what the service mounts below /proxy, and nothing else", () => {
    const [, proxy = ""] = manifest.split("[app_proxy]\n");
    const declaration = Object.fromEntries(
      [...(proxy.split("\n\n")[0] ?? "").matchAll(/^(\w+) = "([^"]+)"$/gm)].map(
        ([, key, value]) => [key, value],
      ),
    );
    const [application] = values(/^application_url = "([^"]+)"$/gm);
    expect(APP_PROXY_PATH).toBe(PROXY_MOUNT);
    expect(declaration).toEqual({
      url: new URL(application as string).origin + PROXY_MOUNT,
      subpath: "crm",
      prefix: "apps",
    });
    expect(read("tests/contract/consent/app-proxy.test.ts")).toContain(
      `["path_prefix", "/${declaration.prefix}/${declaration.subpath}"]`,
    );
    expect(values(/^optional_scopes = \["([^"]+)"\]$/gm)).toEqual(["write_app_proxy"]);
  });

  it("allows both addresses of the install callback", () => {
    expect(manifest).toMatch(
      /redirect_urls = \["https:\/\/[^"]+\/auth\/callback", "https:\/\/[^"]+\/admin\/storefront-callback"\]/,
    );
  });
});
