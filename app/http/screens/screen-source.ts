// Where the screens come from: the build, or in development Vite, which compiles what a request needs.
import type { Server } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ServerBuild } from "@remix-run/node";
import type { Ctx } from "../../context.server.ts";
import { serveBuiltFiles, type ServeFile } from "./built-files.ts";

export type ScreenSource = {
  build: ServerBuild | (() => Promise<ServerBuild>);
  /** Serves files, passes on other requests. */
  serveFile: ServeFile;
  close(): Promise<void>;
};

export async function openBuild(ctx: Ctx, root: string): Promise<ScreenSource> {
  return {
    build: (await import(pathToFileURL(join(root, "build/server/index.js")).href)) as ServerBuild,
    serveFile: await serveBuiltFiles(join(root, "build/client"), (error) =>
      ctx.log.error("screen.file_unreadable", error),
    ),
    close: () => Promise.resolve(),
  };
}

export async function openDevelopment(
  ctx: Ctx,
  root: string,
  server?: Server,
): Promise<ScreenSource> {
  const { createServer } = await import("vite");
  const vite = await createServer({
    root,
    server: {
      middlewareMode: true,
      allowedHosts: [new URL(ctx.baseUrl).hostname],
      ...(server && { hmr: { server } }),
    },
    appType: "custom",
  });
  return {
    build: () => vite.ssrLoadModule("virtual:remix/server-build") as Promise<ServerBuild>,
    serveFile: (incoming, response, next) => vite.middlewares(incoming, response, next),
    close: () => vite.close(),
  };
}
