// Checking the log from the merchant's screen: as a run of its own, because a long log takes longer than a page waits.
import type { Ctx } from "../../context.server.ts";
import { readLongRun, startLongRun, type LongRun } from "../../runtime/long-run.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { verifyConsentChain, type ChainProblem } from "./verify-chain.ts";

const NAME = "consent_verification";
/** What a person looks through; how many there are is told besides. */
const SHOWN_PROBLEMS = 50;

type VerificationProgress = { rows: number; of: number };
type VerificationResult = {
  ok: boolean;
  rows: number;
  problems: ChainProblem[];
  problem_count: number;
};
export type Verification = LongRun<VerificationProgress, VerificationResult>;

/** False when one is under way. */
export function startVerification(ctx: Ctx, tenant: Tenant): Promise<boolean> {
  const equipment = {
    sql: dataOf(ctx, tenant).sql,
    log: ctx.log,
    now: () => ctx.clock.now(),
    id: ctx.random.uuid(),
  };
  return startLongRun<VerificationProgress, VerificationResult>(equipment, NAME, async (report) => {
    const { ok, rows, problems } = await verifyConsentChain(ctx, tenant, (checked, of) =>
      report({ rows: checked, of }),
    );
    return {
      ok,
      rows,
      problems: problems.slice(0, SHOWN_PROBLEMS),
      problem_count: problems.length,
    };
  });
}

export const readVerification = (ctx: Ctx, tenant: Tenant): Promise<Verification | null> =>
  readLongRun(dataOf(ctx, tenant).sql, NAME);
