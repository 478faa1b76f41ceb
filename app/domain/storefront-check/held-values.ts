// Which addresses a page of the store holds back by itself, by the values that the app embed writes into it. These
// count, and not the settings: a page may have older ones.
import { z } from "zod";
import { toHolder, type HeldGroup } from "../vendors/held-addresses.ts";

/**
 * The values in a page, which anybody may have written: patterns are made of the addresses, so each is one. Ours
 * have 2,000 characters.
 */
const MAX_HELD_LENGTH = 10_000;
const HeldAddresses = z.string().regex(/^[\w./ -]*$/);
const HeldValues = z
  .tuple(
    [z.unknown(), z.unknown(), z.array(z.tuple([z.string(), HeldAddresses], z.unknown()))],
    z.unknown(),
  )
  .transform(([, , groups]) => groups.map(([purposes, held]): HeldGroup => [purposes, held]));

/** Whether an address waits; null for values that hold nothing back. */
export function toHeld(values: string | undefined): ((url: URL) => boolean) | null {
  if (values === undefined || values.length > MAX_HELD_LENGTH) return null;
  try {
    const purposesOf = toHolder(HeldValues.parse(JSON.parse(values)));
    return (url) => Boolean(purposesOf(url));
  } catch {
    return null;
  }
}
