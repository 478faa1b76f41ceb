// The code of what a setting's schema refuses. The reasons that schemas give themselves are named here, so that the code
// is found by the constant; those of the schema library have the code of their kind.
import type { z } from "zod";
import type { FieldProblem, FieldProblemCode } from "../../../runtime/field-problem.ts";
import { MIN_SECRET_LENGTH } from "../../../runtime/setting-schemas.ts";

export const REASONS = {
  archiveAddress: "must be file:path or s3://bucket/prefix",
  atLeast16: `must be at least ${MIN_SECRET_LENGTH} characters`,
  channelName: "must be a channel name",
  color: "must be a color such as #1f5f4a",
  hostName: "must be a host name",
  measurementId: "must look like G-ABC123",
  number: "must be a number",
  sender: "must look like Display Name <address>",
  storageAddress: "must be an https://, s3:// or file: address",
  url: "must be an origin such as https://www.example.com, without wildcards",
  wildcards: "may hold letters, digits, _, -, . and * wildcards",
} as const satisfies Partial<Record<FieldProblemCode, string>>;

const OWN = new Map<string, FieldProblemCode>(
  Object.entries(REASONS).map(([code, reason]) => [reason, code as keyof typeof REASONS]),
);

const FORMATS: Partial<Record<string, FieldProblemCode>> = {
  datetime: "dateTime",
  email: "email",
  url: "url",
};

export const toFieldProblem = (issue: z.core.$ZodIssue): FieldProblem => ({
  code: OWN.get(issue.message) ?? codeOf(issue),
  reason: issue.message,
});

function codeOf(issue: z.core.$ZodIssue): FieldProblemCode {
  switch (issue.code) {
    case "invalid_format":
      return FORMATS[issue.format] ?? "other";
    case "invalid_type":
      return isNumber(issue.expected) ? "number" : "other";
    case "too_big":
      return isNumber(issue.origin) ? "number" : "tooLong";
    case "too_small":
      return isNumber(issue.origin) ? "number" : "tooShort";
    default:
      return "other";
  }
}

const isNumber = (kind: string): boolean => kind === "number" || kind === "int";
