// Routes that honour `Idempotency-Key`: a request is done once, and its answer is given again.
import { withIdempotencyKey, type Keep } from "../../domain/commerce/idempotency.ts";
import type { Person } from "../../domain/identity/account.ts";
import type { ApiResponse } from "../api-response.ts";
import { json, type Call } from "../endpoint.ts";
import type { NoteMoney } from "./agent-calls.ts";

type Asked = Pick<
  Call<"person", "registered", unknown, unknown>,
  "ctx" | "tenant" | "principal" | "body" | "request" | "noteMoney"
>;

type Caller = { person: Person; userAgent: string | null; keep: Keep; noteMoney: NoteMoney };

/** `operation` names the action and its resource. `run` stores its answer with `caller.keep`. */
export async function respondIdempotently<T extends object>(
  { ctx, tenant, principal, body, request, noteMoney }: Asked,
  { operation, status = 200 }: { operation: string; status?: number },
  run: (caller: Caller) => Promise<T>,
): Promise<ApiResponse> {
  const key = request.header("idempotency-key");
  const userAgent = request.header("user-agent") ?? null;
  const attempt = { key, person: principal, operation, body: body ?? null };
  const { answer, isReplayed } = await withIdempotencyKey(ctx, tenant, attempt, (keep) =>
    run({ person: principal, userAgent, keep, noteMoney }),
  );
  return json(status, answer, isReplayed ? { "Idempotent-Replayed": "true" } : {});
}
