// The events screens are closed to stores of the role `shared`, as the event endpoints are.
import type { Tenant } from "../domain/tenants/tenant.ts";
import { requireEventAccess } from "./guards.ts";
import { orAnswer } from "./screen-deeds.ts";
import type { ScreenVisit } from "./screen-visit.ts";

export async function requireEvents<Visit extends { tenant: Tenant }>(
  visiting: Promise<Visit>,
): Promise<Visit> {
  const visit = await visiting;
  await orAnswer(() => requireEventAccess(visit.tenant));
  return visit;
}

/** For deeds, whose refusals are answered where they are thrown. */
export function withEvents<Input, Told>(
  run: (visit: ScreenVisit, input: Input) => Promise<Told> | Told,
): (visit: ScreenVisit, input: Input) => Promise<Told> | Told {
  return (visit, input) => {
    requireEventAccess(visit.tenant);
    return run(visit, input);
  };
}
