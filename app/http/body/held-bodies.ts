// The bodies that are being received. Each is held in memory, and its sender is unknown until the last byte. All of
// a process together have a limit: a thousand connections that send most of a body and wait would take its memory.
// Beyond the limit the body that began first makes room, because one whose sender goes on sending ends soon.

export const MAX_HELD_BYTES = 128 * 1024 * 1024;
/**
 * A smaller body is not counted: it arrives in one piece, thousands of times a second, and as many connections
 * cost more than these bytes.
 */
export const UNCOUNTED_BYTES = 64 * 1024;

/** `refuse`: ends the reading, and releases the body. */
export type HeldBody = { bytes: number; refuse(): void };

/** In the order in which they began to count. */
const held = new Set<HeldBody>();
let heldBytes = 0;

/** The body has grown to this size. Refuses the oldest ones until all are within the limit. */
export function holdBody(body: HeldBody, bytes: number): void {
  held.add(body);
  heldBytes += bytes - body.bytes;
  body.bytes = bytes;
  for (const oldest of held) {
    if (heldBytes <= MAX_HELD_BYTES) return;
    oldest.refuse();
  }
}

/** The body has ended, was refused, or its connection is gone. Safe to repeat. */
export function releaseBody(body: HeldBody): void {
  if (!held.delete(body)) return;
  heldBytes -= body.bytes;
  body.bytes = 0;
}
