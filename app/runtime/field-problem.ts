// Why a field was refused: the reason in English, as the API answers it, and a code that the settings screens
// translate (`problems` of locales/<language>/settings.json). A reason may be reworded without a change of a screen.

import type { z } from "zod";

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

/**
 * One reason for each field that a schema refused. A value of the wrong type is still measured ("too
 * big" of a text in place of a list): its type is the reason.
 */
export function reasonsOf({ issues }: z.ZodError): Record<string, string> {
  const reasons = new Map<string, z.core.$ZodIssue>();
  for (const issue of issues) {
    const name = issue.path.join(".") || "body";
    if (reasons.get(name)?.code !== "invalid_type") reasons.set(name, issue);
  }
  return Object.fromEntries([...reasons].map(([name, { message }]) => [name, message]));
}
