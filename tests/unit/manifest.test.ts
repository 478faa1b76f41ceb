// The app manifest, held to the code that it describes.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  COMPLIANCE_TOPICS,
  MANIFEST_TOPICS,
  WEBHOOK_TOPICS,
} from "../../app/domain/tenants/storefront/webhook-topics.ts";
import { PLACES } from "../../app/domain/merchant/place-list.ts";
import { PROXY_MOUNT } from "../../app/http/auth/app-proxy.ts";
import { pathOfFile } from "../../app/http/route-table.ts";
import { WEBHOOK_API_VERSION } from "../../app/integrations/storefront/storefront-client.ts";
import { shapeConfig } from "../../app/runtime/config.ts";
import { APP_PROXY_PATH } from "../../app/sandbox/storefront/app-proxy.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const TOPIC_SCOPES = JSON.parse(
  read("app/sandbox/storefront/graphql/schema/webhook-topic-scopes.json"),
) as Record<string, string[]>;

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
    expect(subscriptions).toHaveLength(MANIFEST_TOPICS.length + COMPLIANCE_TOPICS.length);
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

  it("subscribes to the topics about the app itself, and to none that is registered for each store", () => {
    expect(declared("topics")).toEqual(
      MANIFEST_TOPICS.map(({ name, slug }) => `${name} /webhooks/${slug}`),
    );
  });

  it("has a name that the CLI accepts, and so has the contributors' manifest", () => {
    for (const file of ["shopify.app.toml", "shopify.app.dev.toml"]) {
      const [, name = ""] = /^name = "([^"]+)"$/m.exec(read(file)) ?? [];
      expect([file, name]).toEqual([file, expect.stringMatching(/^.{1,29}$/)]);
    }
  });

  it("has the bare address, because the platform puts it before every relative uri", () => {
    const [application] = values(/^application_url = "([^"]+)"$/gm);
    expect(new URL(application as string).pathname).toBe("/");
    expect(application).not.toMatch(/\/$/);
  });

  it("asks for a scope of every topic, by the schema's own text", () => {
    const [scopes = ""] = values(/^scopes = "([^"]+)"$/gm);
    const asked = scopes.split(",");
    const lacking = WEBHOOK_TOPICS.filter(({ graphqlTopic }) => {
      const needed = TOPIC_SCOPES[graphqlTopic];
      if (!needed) throw new Error(`the schema has no topic ${graphqlTopic}`);
      return (
        needed.length > 0 &&
        !needed.some(
          (scope) => asked.includes(scope) || asked.includes(scope.replace(/^read_/, "write_")),
        )
      );
    });
    expect(lacking).toEqual([]);
    expect(asked).toEqual(
      expect.arrayContaining(["write_app_proxy", "write_draft_orders", "write_files"]),
    );
  });

  it("is not linked to anybody's app, so that `shopify app config link` keeps it", () => {
    expect(manifest).toMatch(/^client_id = ""$/m);
    expect(manifest).toMatch(/^handle = "[a-z-]+"$/m);
    expect(manifest).toMatch(/^include_config_on_deploy = true$/m);
    expect(manifest).toMatch(/^automatically_update_urls_on_dev = true$/m);
  });

  it("makes the app the client of customer accounts, with the callback that exists", () => {
    expect(values(/^redirect_uris = \["https:\/\/example\.com([^"]+)"\]$/gm)).toEqual([
      pathOfFile("auth.storefront.callback.ts"),
    ]);
  });

  it("names an install callback for the CLI, which else rewrites the redirect addresses", () => {
    expect(read("shopify.web.toml")).toContain(
      'auth_callback_path = ["/auth/callback", "/admin/storefront-callback"]',
    );
  });

  it("gives every extension a uid of its own, so that a deploy updates it", () => {
    const folders = readdirSync(join(root, "extensions"));
    const uids = folders.map(
      (folder) =>
        /^uid = "([0-9a-f-]{36})"$/m.exec(read(`extensions/${folder}/shopify.extension.toml`))?.[1],
    );
    expect(folders.length).toBeGreaterThan(0);
    expect(uids).not.toContain(undefined);
    expect(new Set(uids).size).toBe(folders.length);
  });

  it("gives every extension its row on the screen that shows where the app appears", () => {
    expect(PLACES.flatMap(({ extensions }) => extensions).toSorted()).toEqual(
      readdirSync(join(root, "extensions")).toSorted(),
    );
  });

  it("has a twin for contributors that differs only in what needs an approval", () => {
    const withoutComments = (text: string) =>
      text.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
    const own = withoutComments(manifest);
    const dev = withoutComments(read("shopify.app.dev.toml"));
    const differing = dev.filter((line) => !own.includes(line));
    expect(differing.map((line) => line.split(" = ")[0])).toEqual(["name", "handle", "scopes"]);
    expect(own.filter((line) => !dev.includes(line)).map((line) => line.split(" = ")[0])).toEqual([
      "name",
      "handle",
      "scopes",
      "[customer_authentication]",
      "redirect_uris",
      "javascript_origins",
      "logout_urls",
    ]);
    expect(differing.join()).not.toContain("customer_read_customers");
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
  });

  it("allows both addresses of the install callback", () => {
    expect(manifest).toMatch(
      /redirect_urls = \["https:\/\/[^"]+\/auth\/callback", "https:\/\/[^"]+\/admin\/storefront-callback"\]/,
    );
  });
});
