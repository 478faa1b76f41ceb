// What a request for a store reads at home although it can do without.
import { isDatabaseAway } from "../../runtime/database/postgres-errors.ts";
import { createPatience, SILENT } from "../../runtime/database/patience.ts";
import { HOME_REGION } from "../../runtime/settings.ts";
import type { Tenant } from "./tenant.ts";

const patience = createPatience();

/** Null for a store of another cell while home is away. */
export async function readAtHome<T>(
  tenant: Pick<Tenant, "region">,
  reading: Promise<T>,
): Promise<T | null> {
  if (tenant.region === HOME_REGION) return reading;
  try {
    const found = await patience.wait(reading);
    return found === SILENT ? null : found;
  } catch (error) {
    if (isDatabaseAway(error)) return null;
    throw error;
  }
}
