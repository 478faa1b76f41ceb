import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPrivacyWorker } from "../../app/domain/compliance/requests/privacy-worker.ts";
import {
  ADA,
  expectNowhere,
  privacy,
  redactBody,
  settled,
  seedPersonEverywhere,
} from "../support/privacy.ts";
import {
  eventually,
  SHOP,
  startService,
  testEnvironment,
  type Service,
} from "../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());

describe("a customer redaction whose worker is killed", () => {
  it("is finished by another worker, which still knows the names and addresses that the tables no longer contain", async () => {
    await seedPersonEverywhere(service, SHOP);
    service.sandbox.failNext("cms", { hang: 60_000 }, 5);
    const { json } = await privacy(service, "customer-redact", redactBody({ id: ADA.id }));
    const env = {
      ...testEnvironment(service.sandbox, service.database.serviceUrl),
      BASE_URL: service.url,
      ARCHIVE_URL: service.ctx.config.ARCHIVE_URL,
    };
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, "../support/processes/privacy-worker-child.ts")],
      { env: { ...process.env, SERVICE_ENV: JSON.stringify(env) }, stdio: "ignore" },
    );
    const ended = new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)));
    await eventually(
      "the worker is in the middle",
      () => service.sandbox.requests("cms").length > 0,
    );
    child.kill("SIGKILL");
    expect(await ended).toBe("SIGKILL");
    const [request] = await service.database.query("SELECT * FROM privacy_requests WHERE id = $1", [
      json.request_id,
    ]);
    expect(request).toMatchObject({ state: "running", payload: { sealed: expect.any(String) } });
    expect(await service.database.query("SELECT status, email FROM storefront_users")).toEqual([
      { status: "deleted", email: null },
    ]);
    expect((await service.objects.list("")).length).toBeGreaterThan(0);

    service.sandbox.clearFaults();
    const worker = await startPrivacyWorker(service.ctx, service.ctx.home);
    expect(await settled(service, json.request_id, { withinMs: 50_000 })).toMatchObject({
      state: "done",
      evidence: { residual: 0 },
    });
    await worker.stop();
    await expectNowhere(service);
    expect(await service.objects.list("")).toEqual([]);
  });
});
