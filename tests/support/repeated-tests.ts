// Why a test was repeated: CI passes a test that succeeds at its second attempt, and the first error is a race to look for.
import type { Reporter, TestCase } from "vitest/node";

export class RepeatedTests implements Reporter {
  onTestCaseResult(test: TestCase): void {
    if (!test.diagnostic()?.flaky) return;
    console.log(`\nRepeated: ${test.module.moduleId} > ${test.fullName}`);
    for (const { stack, message } of test.result().errors ?? []) console.log(stack ?? message);
  }
}
