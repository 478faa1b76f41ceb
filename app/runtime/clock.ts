/** Time and randomness come from these two, so that tests can fix them. */
import { randomBytes, randomUUID } from "node:crypto";

export type Clock = { now(): Date };
export type Random = {
  uuid(): string;
  /**
   * A time-ordered UUID (RFC 9562, version 7): rows created in sequence are adjacent in an index.
   */
  orderedUuid(): string;
  bytes(size: number): Buffer;
};

export const systemClock: Clock = { now: () => new Date() };
export const systemRandom: Random = {
  uuid: randomUUID,
  orderedUuid: () => orderedUuid(Date.now()),
  bytes: randomBytes,
};

function orderedUuid(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
