// One step of the scheduled run, for one store.
import type { Ctx } from "../../../app/context.server.ts";
import { TENANT_STEPS, type StepResult } from "../../../app/domain/scheduled-run/steps.ts";
import type { Tenant } from "../../../app/domain/tenants/tenant.ts";

export async function runStep(ctx: Ctx, tenant: Tenant, name: string): Promise<StepResult> {
  const step = TENANT_STEPS.find((one) => one.name === name);
  if (!step) throw new Error(`there is no step ${name}`);
  return step.run(ctx, tenant, new AbortController().signal, ctx.archive);
}
