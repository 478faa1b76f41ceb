// When a system counts as healthy: the one place of the rules that Events and Home show.
import type { AttemptCounts } from "./throughput.ts";
import { successRate } from "./throughput.ts";

const HEALTH_LIMITS = {
  minSuccessRate: 0.99,
  /** One failure among many attempts is no pattern yet. */
  minRateOfOneFailure: 0.9,
  maxP95Ms: 10_000,
  maxWaitingSeconds: 15 * 60,
} as const;

/** `paused`: its circuit is open. `idle`: nothing was sent, and nothing waits. */
export type HealthState = "healthy" | "degraded" | "paused" | "idle";
/** The reason why a channel is degraded. */
export type HealthReason = "failing" | "slow" | "waiting";

type Measured = {
  counts: AttemptCounts;
  p95Ms: number | null;
  /** How long the oldest event has waited; null when none waits. */
  oldestWaitingSeconds: number | null;
  isPaused: boolean;
};

export function judgeHealth({ counts, p95Ms, oldestWaitingSeconds, isPaused }: Measured): {
  state: HealthState;
  reasons: HealthReason[];
} {
  const rate = successRate(counts);
  const reasons: HealthReason[] = [];
  const { minSuccessRate, minRateOfOneFailure } = HEALTH_LIMITS;
  const minRate = counts.failed === 1 ? minRateOfOneFailure : minSuccessRate;
  if (rate !== null && rate < minRate) reasons.push("failing");
  if (p95Ms !== null && p95Ms > HEALTH_LIMITS.maxP95Ms) reasons.push("slow");
  if ((oldestWaitingSeconds ?? 0) > HEALTH_LIMITS.maxWaitingSeconds) reasons.push("waiting");
  if (isPaused) return { state: "paused", reasons };
  if (reasons.length > 0) return { state: "degraded", reasons };
  return { state: rate === null && oldestWaitingSeconds === null ? "idle" : "healthy", reasons };
}
