// Access to the standalone admin pages (SPEC "Edge one-time-password gate", DECISIONS 10), and the
// cookie that keeps it for an hour. The cookie opens only these pages: no endpoint reads it.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { secretEquals } from "../../../runtime/secrets.ts";

export const GATE_PASS_SECONDS = 3_600;
const PLACE = "admin_gate";

/** `isPlatform`: authenticated with ADMIN_KEY, which opens the operator's settings. */
export type GatePass = { way: "key" | "edge" | "mail"; isPlatform: boolean };

const Kept = z.object({
  way: z.enum(["key", "mail"]),
  address: z.string().nullable(),
  until: z.number(),
  key: z.string(),
});

/** Changes with ADMIN_KEY: a new key ends the passes of the old one. */
const keyMark = (ctx: Ctx) => ctx.secrets.pseudonym(PLACE, ctx.config.ADMIN_KEY);
export const isAdminAddress = (ctx: Ctx, address: string): boolean =>
  (ctx.config.ADMIN_EMAILS ?? [])
    .map((one) => secretEquals(one.toLowerCase(), address))
    .some(Boolean);

/** The cookie's value; `address` is the mailbox that received the code. */
export function sealGatePass(ctx: Ctx, way: "key" | "mail", address: string | null = null): string {
  const kept: z.output<typeof Kept> = {
    way,
    address,
    until: ctx.clock.now().getTime() + GATE_PASS_SECONDS * 1_000,
    key: keyMark(ctx),
  };
  return Buffer.from(ctx.secrets.seal(PLACE, JSON.stringify(kept))).toString("base64url");
}

/**
 * Null for a cookie that was altered, has expired, or belongs to a replaced key or a removed
 * address.
 */
export function openGatePass(ctx: Ctx, cookie: string): GatePass | null {
  let kept: z.output<typeof Kept>;
  try {
    kept = Kept.parse(
      JSON.parse(ctx.secrets.unseal(PLACE, Buffer.from(cookie, "base64url").toString("utf8"))),
    );
  } catch {
    return null;
  }
  if (kept.until <= ctx.clock.now().getTime() || !secretEquals(kept.key, keyMark(ctx))) return null;
  if (kept.way === "mail" && !isAdminAddress(ctx, kept.address ?? "")) return null;
  return { way: kept.way, isPlatform: kept.way === "key" };
}
