// What the buttons of a screen send: JSON, checked by the same schemas as everything from outside, and answered so that the
// screen can say what is wrong beside the field, whichever system is down.
import type { z } from "zod";
import type { Ctx } from "../context.server.ts";
import { isAppError, OutboundError } from "../runtime/errors.ts";

export type ActionReply<T> = { ok: true; result: T } | { ok: false; code: string; fields: Record<string, string> };

const refused = (code: string, fields: Record<string, string> = {}): ActionReply<never> => ({ ok: false, code, fields });

/** Answers refusals as values; only our own bugs are thrown. */
export async function answerAction<S extends z.ZodType, T>(ctx: Ctx, request: Request, schema: S, perform: (asked: z.output<S>) => Promise<T>): Promise<ActionReply<T>> {
  const body: unknown = await request.json().catch(() => undefined);
  const asked = schema.safeParse(body);
  if (!asked.success) return refused("invalid_request", Object.fromEntries(asked.error.issues.map(({ path, message }) => [path.join("."), message])));
  try {
    return { ok: true, result: await perform(asked.data) };
  } catch (error) {
    if (isAppError(error) && error.status !== 500) return refused(error.code, error.fields);
    if (!(error instanceof OutboundError)) throw error;
    ctx.log.troubled("screen.system_away", { system: error.system, kind: error.kind, status: error.status });
    return refused("system_unavailable");
  }
}
