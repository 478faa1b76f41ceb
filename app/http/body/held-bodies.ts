// The bodies that are being received. Each is held in memory, and its sender is unknown until the last byte. All of
// a process together have a limit: a thousand connections that send most of a body and wait would take its memory.
// Beyond the limit the client that holds most makes room, with its body that began first, because one whose sender
// goes on sending ends soon. So a client that sends without end refuses its own bodies, and no other's.

export const MAX_HELD_BYTES = 128 * 1024 * 1024;
/**
 * A smaller body is not counted: it arrives in one piece, thousands of times a second, and as many connections
 * cost more than these bytes.
 */
export const UNCOUNTED_BYTES = 64 * 1024;

/** `client`: its address. `refuse`: ends the reading, and releases the body. */
export type HeldBody = { client: string; bytes: number; refuse(): void };

/** `bodies`: in the order in which they began to count. */
type Holder = { bytes: number; bodies: Set<HeldBody> };

const holders = new Map<string, Holder>();
let heldBytes = 0;

/** The body has grown to this size. Refuses others, or this one, until all are within the limit. */
export function holdBody(body: HeldBody, bytes: number): void {
  const holder = holders.get(body.client) ?? { bytes: 0, bodies: new Set() };
  holders.set(body.client, holder);
  holder.bodies.add(body);
  add(holder, bytes - body.bytes);
  body.bytes = bytes;
  while (heldBytes > MAX_HELD_BYTES) {
    const [oldest] = largestHolder().bodies;
    oldest?.refuse();
  }
}

/** The body has ended, was refused, or its connection is gone. Safe to repeat. */
export function releaseBody(body: HeldBody): void {
  const holder = holders.get(body.client);
  if (!holder?.bodies.delete(body)) return;
  add(holder, -body.bytes);
  body.bytes = 0;
  if (holder.bodies.size === 0) holders.delete(body.client);
}

function add(holder: Holder, bytes: number): void {
  holder.bytes += bytes;
  heldBytes += bytes;
}

const largestHolder = (): Holder =>
  [...holders.values()].reduce((largest, one) => (one.bytes > largest.bytes ? one : largest));
