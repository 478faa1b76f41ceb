// The order of test files. What takes a minute must not begin when everything else is done, and files that
// mostly wait run beside files that keep a processor busy.
import { BaseSequencer, type TestSpecification } from "vitest/node";

const CHAOS = /\/chaos\//;
/** For deadlines, retries, the next pass of an erasure, and another process. */
const WAITING =
  /\/flows\/|\/channels\/conformance|silent-home|health-of-cells|move-under-load|access-log|id-tokens|code-exchange|sync-signed-in|contract\/tags|regular-expressions|unit\/domain\/archive|public-lookup|console-events/;
const BROWSER = /\/browser\//;

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = await super.sort(files);
    const takeOut = (pattern: RegExp) => {
      const matching = rest.filter(({ moduleId }) => pattern.test(moduleId));
      for (const file of matching) rest.splice(rest.indexOf(file), 1);
      return matching;
    };
    return [...takeOut(CHAOS), ...spread(takeOut(WAITING), takeOut(BROWSER)), ...rest];
  }
}

/** Both in their order, the shorter list evenly among the other. */
function spread<T>(some: T[], others: T[]): T[] {
  const placed = [some, others].flatMap((list) =>
    list.map((item, index) => ({ item, place: (index + 0.5) / list.length })),
  );
  return placed.sort((a, b) => a.place - b.place).map(({ item }) => item);
}
