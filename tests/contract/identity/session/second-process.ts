// Another process of the same deployment: its own memory, the same database.
import { channels } from "../../../../app/domain/channels/index.ts";
import { renderThemeFooters } from "../../../../app/embeds/theme-footers.ts";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createCtx } from "../../../../app/context.server.ts";
import { loadRoutes } from "../../../../app/http/route-table.ts";
import { createListener } from "../../../../app/http/serve.ts";
import type { Service } from "../../../support/service.ts";

export async function startSecondProcess(
  service: Service,
): Promise<{ getMe(token: string): Promise<number>; stop(): Promise<void> }> {
  const { config, baseUrl, log, clock } = service.ctx;
  const ctx = createCtx({
    channels,
    renderThemeFooters,
    config,
    baseUrl,
    log,
    clock,
    databaseUrl: service.database.serviceUrl,
  });
  const screens = {
    handle: (_: unknown, response: { writeHead(status: number): { end(): void } }) =>
      response.writeHead(404).end(),
  };
  const server = createServer(
    { keepAliveTimeout: 65_000 },
    createListener({ ctx, routes: await loadRoutes(), screens }),
  );
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    async getMe(token) {
      const answer = await fetch(`${url}/auth/me`, {
        headers: { authorization: `Bearer ${token}` },
      });
      await answer.text();
      return answer.status;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await ctx.close();
    },
  };
}
