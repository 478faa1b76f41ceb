// Verification of the log from the merchant's screen, as a background run, because a long log takes
// longer than a page request.
import type { Ctx } from "../../context.server.ts";
import {
  readBackgroundJob,
  startBackgroundJob,
  type BackgroundJob,
} from "../../runtime/database/queue/background-job.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { verifyConsentChain, type ChainProblem } from "./verify-chain.ts";

const NAME = "consent_verification";
/** The number of problems listed; their total is reported too. */
const SHOWN_PROBLEMS = 50;

type VerificationProgress = { rows: number; of: number };
type VerificationResult = {
  ok: boolean;
  rows: number;
  problems: ChainProblem[];
  problem_count: number;
};
export type Verification = BackgroundJob<VerificationProgress, VerificationResult>;

/** False when one is in progress. */
export function startVerification(ctx: Ctx, tenant: Tenant): Promise<boolean> {
  return startBackgroundJob<VerificationProgress, VerificationResult>(
    { sql: dataOf(ctx, tenant).sql, log: ctx.log, clock: ctx.clock },
    NAME,
    async (report) => {
      const { ok, rows, problems } = await verifyConsentChain(ctx, tenant, (checked, of) =>
        report({ rows: checked, of }),
      );
      return {
        ok,
        rows,
        problems: problems.slice(0, SHOWN_PROBLEMS),
        problem_count: problems.length,
      };
    },
  );
}

export const readVerification = (ctx: Ctx, tenant: Tenant): Promise<Verification | null> =>
  readBackgroundJob(dataOf(ctx, tenant).sql, NAME);
