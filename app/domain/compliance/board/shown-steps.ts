// The steps of a request as a screen shows them: all of its kind, with the one that is worked on.
import type { PrivacyKind } from "../requests/privacy-requests.ts";
import { STEP_NAMES, type Step, type StepName, type Steps } from "../requests/request-steps.ts";
import type { BoardRequest, RequestProblem } from "./request-list.ts";

/** `left`: the merchant has to finish it. `unrecorded`: finished before steps were recorded. */
export type ShownStep = {
  name: StepName;
  state: "done" | "running" | "waiting" | "failed" | "left" | "unrecorded";
  result: Step | null;
};

/** The outcomes that do not end their step, or not well; every other outcome is `done`. */
const STATES: Partial<Record<Step["outcome"], ShownStep["state"]>> = {
  queued: "running",
  not_mailed: "failed",
  stays_in_store: "left",
  no_access: "left",
};

export function toShownSteps(
  kind: PrivacyKind,
  state: BoardRequest["state"],
  steps: Steps,
  problem: RequestProblem | null,
): ShownStep[] {
  const names: readonly StepName[] = STEP_NAMES[kind];
  const current = names.find((name) => steps[name] === undefined);
  const isFinished = state === "done" || state === "retained";
  return names.flatMap((name): ShownStep[] => {
    const result = steps[name] ?? null;
    if (result) return [{ name, state: STATES[result.outcome] ?? "done", result }];
    // A request that needed no such step, for example a copy that was handed over by a button.
    if (isFinished && Object.keys(steps).length > 0) return [];
    if (isFinished) return [{ name, state: "unrecorded", result }];
    if (name !== current) return [{ name, state: "waiting", result }];
    return [{ name, state: stateOfCurrent(state, problem), result }];
  });
}

/** The state of the step that the request is at. */
function stateOfCurrent(
  state: BoardRequest["state"],
  problem: RequestProblem | null,
): ShownStep["state"] {
  if (state === "failed") return "failed";
  if (state === "running") return "running";
  // A request that failed before waits for its next attempt.
  return state === "received" && problem !== null ? "failed" : "waiting";
}
