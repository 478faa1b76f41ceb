// What a merchant does on a screen. The form says which deed by `intent`; its other fields go through the deed's schema, and
// what the merchant can mend comes back beside the form. Whose store it is never stands in a form (screen-visit.ts).
import { data, type ActionFunctionArgs } from "@remix-run/node";
import { z } from "zod";
import { isAppError, OutboundError } from "../runtime/errors.ts";
import { visitScreen, type ScreenVisit } from "./screen-visit.ts";

type Deed<Input extends z.ZodType, Told extends object | void> = { input: Input; run(visit: ScreenVisit, input: z.output<Input>): Promise<Told> | Told };

/** `code` is one of ours, which the screen has words for; `fields` names what is wrong. */
export type Refusal = { intent: string; isDone: false; code: string; fields: Record<string, string> };

export const NOTHING_TO_SAY = z.object({});

/** For keeping each deed's schema and its function of one type. */
export const deed = <Input extends z.ZodType, Told extends object | void>(input: Input, run: Deed<Input, Told>["run"]): Deed<Input, Told> => ({ input, run });

/** A refusal that the merchant can mend is a 200: it belongs to the form, and a browser reports anything else as an error. */
const STATUS: Partial<Record<string, number>> = { not_found: 404, forbidden: 403 };

export function deeds<Table extends Record<string, Deed<z.ZodType, object | void>>>(table: { [Name in keyof Table]: Table[Name] }) {
  return async (args: ActionFunctionArgs) => {
    const visit = await visitScreen(args);
    const { intent = "", ...fields } = textsOf(await args.request.formData());
    const named = Object.hasOwn(table, intent) ? table[intent] : undefined;
    if (!named) throw data({ code: "not_found" }, { status: 404 });
    const parsed = named.input.safeParse(fields);
    if (!parsed.success) return refusal(intent, "invalid_request", Object.fromEntries(parsed.error.issues.map((issue) => [String(issue.path[0] ?? ""), issue.message])));
    try {
      return { intent, isDone: true as const, ...(await named.run(visit, parsed.data)) };
    } catch (error) {
      if (isAppError(error)) return data(refusal(intent, error.code, error.fields ?? {}), { status: STATUS[error.code] ?? 200 });
      if (error instanceof OutboundError) return refusal(intent, "outside_unwell", {});
      throw error;
    }
  };
}

const refusal = (intent: string, code: string, fields: Record<string, string>): Refusal => ({ intent, isDone: false, code, fields });

const textsOf = (form: FormData): Record<string, string> => Object.fromEntries([...form].filter((entry): entry is [string, string] => typeof entry[1] === "string"));

/** For a field that holds JSON, as tables of a form do. */
export const jsonField = <Shape extends z.ZodType>(shape: Shape) =>
  z.string().max(500_000).transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: "custom", message: "is not JSON" });
      return z.NEVER;
    }
  }).pipe(shape);

/** Loaders throw AppErrors as everything does; a page shows them by their status. */
export async function orAnswer<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isAppError(error) && error.status < 500) throw data({ code: error.code }, { status: error.status });
    throw error;
  }
}

