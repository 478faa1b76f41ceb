// The order of test files. What waits for a minute must not begin when everything else is done.
import { BaseSequencer, type TestSpecification } from "vitest/node";

const SLOW = [
  /\/chaos\//,
  /\/channels\/conformance|silent-home|health-of-cells|move-under-load|access-log/,
  /\/browser\//,
  /\/flows\//,
];

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = SLOW.findIndex((pattern) => pattern.test(moduleId));
  return place < 0 ? SLOW.length : place;
};

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => placeOf(a) - placeOf(b));
  }
}
