/** Time and randomness come through these two, so that tests can hold them. */
import { randomBytes, randomUUID } from "node:crypto";

export type Clock = { now(): Date };
export type Random = { uuid(): string; bytes(size: number): Buffer };

export const systemClock: Clock = { now: () => new Date() };
export const systemRandom: Random = { uuid: randomUUID, bytes: randomBytes };
