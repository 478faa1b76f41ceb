// What a merchant does on a screen, sent as JSON. `intent` says which deed; the other fields go through the deed's schema, and
// what the merchant can mend comes back beside the button. Whose store it is never stands in there (screen-visit.ts).
import { data, type ActionFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import { isAppError, OutboundError } from "../runtime/errors.ts";
import { visitScreen, type ScreenVisit } from "./screen-visit.ts";

/** `named`: what the address names. */
type DeedVisit = ScreenVisit & { named: ActionFunctionArgs["params"] };
type Deed<Input extends z.ZodType, Told extends object | void> = {
  input: Input;
  run(visit: DeedVisit, input: z.output<Input>): Promise<Told> | Told;
};

/** `code` is one of ours, which the screen has words for; `fields` names what is wrong. */
export type Refusal = {
  intent: string;
  isDone: false;
  code: string;
  fields: Record<string, string>;
};

export const NOTHING_TO_SAY = z.object({});

/** For keeping each deed's schema and its function of one type. */
export const deed = <Input extends z.ZodType, Told extends object | void>(
  input: Input,
  run: Deed<Input, Told>["run"],
): Deed<Input, Told> => ({ input, run });

const Asked = z.object({ intent: z.string() });

/** A refusal that the merchant can mend is a 200: it belongs to the screen, and a browser reports anything else as an error. */
const STATUS: Partial<Record<string, number>> = { not_found: 404, forbidden: 403 };

export function deeds<Table extends Record<string, Deed<z.ZodType, object | void>>>(table: {
  [Name in keyof Table]: Table[Name];
}) {
  return async (args: ActionFunctionArgs) => {
    const visit = await visitScreen(args);
    const body: unknown = await args.request.json().catch(() => null);
    const { intent } = Asked.safeParse(body).data ?? { intent: "" };
    const wanted = Object.hasOwn(table, intent) ? table[intent] : undefined;
    if (!wanted) throw data({ code: "not_found" }, { status: 404 });
    const parsed = wanted.input.safeParse(body);
    if (!parsed.success)
      return refusal(
        intent,
        "invalid_request",
        Object.fromEntries(
          parsed.error.issues.map((issue) => [String(issue.path[0] ?? ""), issue.message]),
        ),
      );
    try {
      return {
        intent,
        isDone: true as const,
        ...(await wanted.run({ ...visit, named: args.params }, parsed.data)),
      };
    } catch (error) {
      if (isAppError(error) && error.status !== 500)
        return data(refusal(intent, error.code, error.fields ?? {}), {
          status: STATUS[error.code] ?? 200,
        });
      if (!(error instanceof OutboundError)) throw error;
      visit.ctx.log.troubled("screen.system_away", {
        system: error.system,
        kind: error.kind,
        status: error.status,
      });
      return refusal(intent, "outside_unwell", {});
    }
  };
}

const refusal = (intent: string, code: string, fields: Record<string, string>): Refusal => ({
  intent,
  isDone: false,
  code,
  fields,
});

/** Loaders throw AppErrors as everything does; a page shows them by their status. */
export async function orAnswer<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isAppError(error) && error.status < 500)
      throw data({ code: error.code }, { status: error.status });
    throw error;
  }
}
