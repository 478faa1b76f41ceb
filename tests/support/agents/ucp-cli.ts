// UCP's reference client in its own process: an independent check of our requests and responses.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileCache } from "../processes/child.ts";

export type UcpCli = {
  /** Runs a command against the store and returns its parsed output. */
  run(...args: string[]): Promise<any>;
  /** Like `run`, for a command that must fail. */
  refused(...args: string[]): Promise<any>;
  stop(): void;
};

/** `token`: sent as a bearer token with every request. */
export function startUcpCli(
  business: string,
  options: { token?: () => string | null; profileUrl?: string } = {},
): UcpCli {
  const home = mkdtempSync(join(tmpdir(), "ucp-cli-"));
  const bin = new URL("../../../node_modules/@shopify/ucp-cli/dist/bin.js", import.meta.url)
    .pathname;
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE: compileCache,
    UCP_HOME: home,
    UCP_TEST_ALLOW_INSECURE_LOCALHOST: "true",
    ...(options.profileUrl && { UCP_AGENT_PROFILE_URL: options.profileUrl }),
  };
  const exec = (args: string[]) =>
    new Promise<{ failed: boolean; out: any }>((done) => {
      const token = options.token?.() ?? null;
      const all = [
        bin,
        ...args,
        "--business",
        business,
        "--format",
        "json",
        ...(token ? ["--header", `Authorization: Bearer ${token}`] : []),
      ];
      execFile(
        process.execPath,
        all,
        { env, cwd: home, maxBuffer: 16 * 1024 * 1024 },
        (error, stdout, stderr) => {
          let out: unknown;
          try {
            out = JSON.parse(stdout);
          } catch {
            out = { unreadable: stdout, stderr };
          }
          done({ failed: error !== null, out });
        },
      );
    });
  const expecting =
    (failed: boolean) =>
    async (...args: string[]) => {
      const answer = await exec(args);
      if (answer.failed !== failed)
        throw new Error(
          `ucp ${args.join(" ")} ${answer.failed ? "failed" : "did not fail"}: ${JSON.stringify(answer.out).slice(0, 2_000)}`,
        );
      return answer.out;
    };
  return {
    run: expecting(false),
    refused: expecting(true),
    stop: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** A platform that publishes profiles by path and counts the requests. */
export async function startPlatform(): Promise<{
  url: string;
  pages: Map<string, { status?: number; headers?: Record<string, string>; body: string }>;
  asked: string[];
  stop(): Promise<void>;
}> {
  const pages = new Map<
    string,
    { status?: number; headers?: Record<string, string>; body: string }
  >();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const page = pages.get(request.url ?? "");
    response
      .writeHead(page?.status ?? (page ? 200 : 404), {
        "Content-Type": "application/json",
        ...page?.headers,
      })
      .end(page?.body ?? "{}");
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pages,
    asked,
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

export const platformProfile = (
  version = "2026-08-25",
  capabilities: readonly string[] = [
    "dev.ucp.shopping.catalog.search",
    "dev.ucp.shopping.checkout",
  ],
): string =>
  JSON.stringify({
    ucp: {
      version,
      services: {
        "dev.ucp.shopping": [
          {
            version,
            spec: `https://ucp.dev/${version}/specification/overview`,
            transport: "mcp",
            schema: `https://ucp.dev/${version}/services/shopping/mcp.openrpc.json`,
          },
        ],
      },
      capabilities: Object.fromEntries(capabilities.map((name) => [name, [{ version }]])),
      payment_handlers: {},
    },
  });
