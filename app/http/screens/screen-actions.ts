// The actions of a screen. The body names the action by its `intent`, the other fields go through
// that action's schema, and every result has one shape. The store comes from the session token,
// never from the body.
import { data, type ActionFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { AccessAction } from "../../domain/compliance/access-log/record-access.ts";
import { toSystemProblem } from "../../domain/bus/log/system-problem.ts";
import { isAppError, OutboundError } from "../../runtime/errors.ts";
import type { FieldProblemCode } from "../../runtime/field-problem.ts";
import { authenticate } from "../../shopify.server.ts";
import type { RecordScreenAccess } from "../access/screen-access.ts";

/**
 * `code`: translated by the screen (locales/<language>/errors.json). `fields`: an error per field
 * name, in English; `field_codes`: the code of each that the screen translates.
 */
export type ActionError = {
  ok: false;
  intent: string;
  code: string;
  fields?: Record<string, string>;
  field_codes?: Record<string, FieldProblemCode>;
  /** What another system answered. */
  http_status?: number | null;
  message: string;
};
export type ActionResult<Data> = { ok: true; intent: string; data: Data } | ActionError;

export type ScreenAction = (
  args: ActionFunctionArgs,
) => Promise<ActionResult<unknown> | ReturnType<typeof data<ActionError>>>;

export const NoInput = z.object({});

/** Thrown by an action for an error that is not an AppError. */
export class ActionFailure extends Error {
  readonly code: string;

  constructor(code: string, message = "") {
    super(message);
    this.name = "ActionFailure";
    this.code = code;
  }
}

type Inputs = Record<string, z.ZodType>;
type ActionTable<Context, Table extends Inputs> = {
  [Name in keyof Table]: {
    input: Table[Name];
    /**
     * What it does to the customer whose id is in the path, for the access log. An action for other
     * customers calls `recordAccess`.
     */
    access?: Context extends { recordAccess: RecordScreenAccess } ? AccessAction : never;
    run(
      context: Context & Pick<ActionFunctionArgs, "params">,
      input: z.output<Table[Name]>,
    ): unknown;
  };
};

const WithIntent = z.object({ intent: z.string() });

/**
 * An error that the merchant can correct is a 200: the screen shows it, and the browser logs no
 * failed request.
 */
const STATUS: Partial<Record<string, number>> = { not_found: 404, forbidden: 403 };

/**
 * Creates `defineActions` for screens with another authentication. `authenticateWith` throws for an
 * unauthenticated visitor.
 */
export function actionsFor<Context extends { ctx: Ctx; recordAccess?: RecordScreenAccess }>(
  authenticateWith: (args: ActionFunctionArgs) => Promise<Context> | Context,
) {
  return <Table extends Inputs>(actions: ActionTable<Context, Table>): ScreenAction =>
    async (args) => {
      const context = await authenticateWith(args);
      const body = await readBody(args.request);
      const { intent } = WithIntent.safeParse(body).data ?? { intent: "" };
      const action = Object.hasOwn(actions, intent) ? actions[intent] : undefined;
      if (!action) throw data({ code: "not_found" }, { status: 404 });
      const parsed = action.input.safeParse(body);
      if (!parsed.success)
        return actionError(intent, {
          code: "invalid_request",
          message: "Some fields are not valid.",
          fields: Object.fromEntries(
            parsed.error.issues.map((issue) => [String(issue.path[0] ?? ""), issue.message]),
          ),
        });
      const recordAccess: RecordScreenAccess | undefined =
        context.recordAccess && ((access) => context.recordAccess!({ part: intent, ...access }));
      try {
        const done = await action.run(
          { ...context, ...(recordAccess && { recordAccess }), params: args.params },
          parsed.data,
        );
        if (action.access)
          await recordAccess?.({ action: action.access, userIds: [Number(args.params.id)] });
        return { ok: true as const, intent, data: done ?? null };
      } catch (error) {
        return toActionError(context.ctx, intent, error);
      }
    };
}

export const defineActions = actionsFor((args) => authenticate.admin(args));

/** For screens that are available before the store is connected. */
export const defineShopActions = actionsFor((args) => authenticate.shop(args));

/** For a route without a page that `fetch` calls: the router serialises only its own calls. */
export const defineJsonActions =
  <Table extends Inputs>(
    actions: ActionTable<Awaited<ReturnType<typeof authenticate.admin>>, Table>,
  ) =>
  async (args: ActionFunctionArgs): Promise<Response> => {
    const result = await defineActions(actions)(args);
    return "type" in result ? Response.json(result.data, result.init ?? {}) : Response.json(result);
  };

async function readBody(request: Request): Promise<unknown> {
  if (request.headers.get("Content-Type")?.includes("json"))
    return request.json().catch(() => null);
  return Object.fromEntries(await request.formData().catch(() => new FormData()));
}

export const actionError = (
  intent: string,
  error: Omit<ActionError, "ok" | "intent">,
): ActionError => ({ ok: false, intent, ...error });

function toActionError(ctx: Ctx, intent: string, error: unknown) {
  if (error instanceof ActionFailure)
    return actionError(intent, { code: error.code, message: error.message });
  if (isAppError(error) && error.status !== 500) {
    const { code, fields, fieldCodes, message } = error;
    return data(
      actionError(intent, {
        code,
        message,
        ...(fields && { fields }),
        ...(fieldCodes && { field_codes: fieldCodes }),
      }),
      { status: STATUS[code] ?? 200 },
    );
  }
  if (!(error instanceof OutboundError)) throw error;
  ctx.log.warn("screen.system_away", {
    system: error.system,
    kind: error.kind,
    status: error.status,
  });
  const problem = toSystemProblem(error.system, error.message, error.status);
  return actionError(intent, { ...problem, message: error.message });
}

/** Turns an AppError of a loader into a response; the page shows it by its status. */
export async function toErrorResponse<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isAppError(error) && error.status < 500)
      throw data({ code: error.code }, { status: error.status });
    throw error;
  }
}
