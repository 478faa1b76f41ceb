// Why a field was refused: the reason in English, as the API answers it, and a code that the settings screens
// translate (`problems` of locales/<language>/settings.json). A reason may be reworded without a change of a screen.

export type FieldProblemCode =
  | "archiveAddress"
  | "atLeast16"
  | "bucketKey"
  | "byPlatform"
  | "changedMeanwhile"
  | "channelName"
  | "color"
  | "dateTime"
  | "email"
  | "hostName"
  | "maskedValue"
  | "measurementId"
  | "number"
  | "other"
  | "otherStore"
  | "privateAddress"
  | "sender"
  | "sharedStore"
  | "storageAddress"
  | "tooLong"
  | "tooShort"
  | "url"
  | "wildcards";

export type FieldProblem = { code: FieldProblemCode; reason: string };

/** One problem of several fields, as an AppError takes it. */
export const sameProblem = (names: readonly string[], problem: FieldProblem) =>
  toFields(names.map((name) => [name, problem]));

/** The problems of fields, as an AppError takes them. */
export function toFields(problems: readonly (readonly [name: string, problem: FieldProblem])[]) {
  return {
    fields: Object.fromEntries(problems.map(([name, { reason }]) => [name, reason])),
    fieldCodes: Object.fromEntries(problems.map(([name, { code }]) => [name, code])),
  };
}
