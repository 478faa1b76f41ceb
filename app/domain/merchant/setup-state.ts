// The data of the operator's page: which process settings exist (never their values), the service's
// health, and its stores, one page at a time.
import type { Ctx } from "../../context.server.ts";
import { SETTINGS, type SettingName } from "../../runtime/settings.ts";
import { VERSION } from "../../runtime/version.ts";
import { readCells } from "./cell-states.ts";
import { findReport, type ScheduledRunReport } from "../scheduled-run/report.ts";
import { listShopsAfter } from "../tenants/directory.ts";
import { tokenState } from "../tenants/store-access.ts";
import { findTenant } from "../tenants/tenant.ts";

const STORES_PAGE = 25;

export type SettingState = {
  name: string;
  about: string;
  state: "set" | "default" | "unset";
  isSecret: boolean;
};
export type StoreRow = {
  shop: string;
  token: "none" | "valid" | "reauth_required";
  role: string;
  region: string;
  channels: number;
};

export async function readSetupState(ctx: Ctx, after: string) {
  const [isDatabaseUp, report, stores, cellStates] = await Promise.all([
    ctx.home.isReachable(),
    findReport(ctx),
    listStores(ctx, after),
    readCells(ctx),
  ]);
  return {
    settings: listSettingStates(ctx),
    stores,
    cellStates,
    health: {
      isDatabaseUp,
      version: VERSION,
      roles: [...ctx.config.roles],
      isSandbox: ctx.config.isSandbox,
      baseUrl: ctx.baseUrl,
      lastRun: report
        ? {
            state: report.state,
            at: report.finished_at ?? report.started_at,
            errors: report.errors_total,
            problems: listProblems(report),
            isArchiveFailing: report.errors.some(({ system }) => system === "archive"),
          }
        : null,
    },
  };
}

export type RunProblem = { step: string; stores: number; message: string | null };

/** The steps that failed, with the first message of each. */
const listProblems = ({ steps, errors }: ScheduledRunReport): RunProblem[] =>
  Object.entries(steps)
    .filter(([, { failed }]) => failed > 0)
    .map(([step, { failed }]) => ({
      step,
      stores: failed,
      message: errors.find((error) => error.step === step)?.message ?? null,
    }));

function listSettingStates(ctx: Ctx): SettingState[] {
  return Object.entries(SETTINGS).map(([name, setting]) => {
    const { about, schema, ...rest } = setting as {
      about: string;
      schema: { parse(text: string): unknown };
      default?: string;
      required?: true;
      secret?: true;
    };
    const value = ctx.config[name as SettingName];
    const isDefault =
      rest.default !== undefined &&
      JSON.stringify(schema.parse(rest.default)) === JSON.stringify(value);
    // A required setting can only be missing in the sandbox, which replaces it: otherwise the
    // process does not start.
    const missing = rest.required ? "default" : "unset";
    const given = isDefault ? "default" : "set";
    const state = value === undefined ? missing : given;
    return { name, about, isSecret: rest.secret === true, state };
  });
}

/** `next`: the start of the following page, null at the end. */
export async function listStores(
  ctx: Ctx,
  after: string,
): Promise<{ rows: StoreRow[]; next: string | null }> {
  const shops = await listShopsAfter(ctx, after, STORES_PAGE + 1);
  const tenants = await Promise.all(
    shops.slice(0, STORES_PAGE).map((shop) => findTenant(ctx, shop)),
  );
  const rows = tenants.flatMap((tenant): StoreRow[] =>
    tenant
      ? [
          {
            shop: tenant.shop,
            token: tokenState(tenant),
            role: tenant.config.access_role,
            region: tenant.region,
            channels: ctx.channels.filter((channel) => channel.isEnabled(tenant)).length,
          },
        ]
      : [],
  );
  return { rows, next: shops.length > STORES_PAGE ? (rows.at(-1)?.shop ?? null) : null };
}
