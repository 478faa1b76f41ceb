// The input of a consent change (DECISIONS 7).
import { z } from "zod";
import { ActedBy } from "./acting-person.ts";
import { CONSENT_TYPES, consentColumn, type ConsentType } from "./consent-types.ts";

const flag = z.boolean("must be true or false").optional();
const FLAGS = Object.fromEntries(
  CONSENT_TYPES.map((type) => [consentColumn(type), flag]),
) as Record<`consent_${ConsentType}`, typeof flag>;
const identifier = (max: number) =>
  z
    .string()
    .regex(/^[\w.:-]+$/, "may hold letters, digits, and . _ : -")
    .max(max);

// Without @ and dot it cannot contain an email address, which would stay in the log forever. A
// retry sends the same id.
const ConsentId = z
  .string()
  .max(100)
  .regex(/^[\w:-]+$/, "may hold letters, digits, and _ : -");

const isConsentType = (text: string): text is ConsentType =>
  (CONSENT_TYPES as readonly string[]).includes(text);

const FormType = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,39}$/i, "may hold letters, digits, _ and -, at most 40")
  .transform((text) => text.toLowerCase())
  .refine((text) => !isConsentType(text), "is the name of a consent, not of a form");

/** The form of a method `<form_type>_form`; undefined for other methods. */
const formOfMethod = (method: string): string | undefined =>
  FormType.safeParse(/^(.+)_form$/.exec(method)?.[1]).data;

const isFlagged = (input: Partial<Record<keyof typeof FLAGS, boolean | undefined>>): boolean =>
  CONSENT_TYPES.some((type) => input[consentColumn(type)] !== undefined);

/** How long a browser keeps unsent decisions. */
const MAX_WAIT_SECONDS = 30 * 86_400;
/** The choice of a browser whose clock was moved meanwhile still counts. */
const WaitedSeconds = z
  .number()
  .transform((seconds) => Math.min(Math.max(Math.trunc(seconds), 0), MAX_WAIT_SECONDS))
  .meta({
    description:
      "For how long the decision waited in the browser before it was sent. A grant that waited is ignored where a later refusal is recorded.",
  })
  .optional();

export const ConsentSyncInput = z
  .object({
    ...FLAGS,
    method: z.string().regex(/^[\w-]{1,80}$/, "may hold letters, digits, _ and -"),
    consent_version: z.string().max(80).optional(),
    consent_id: ConsentId.optional(),
    ga_session_id: identifier(100).optional(),
    ga_client_id: identifier(100).optional(),
    timestamp: z.string().max(80).optional(),
    form_type: FormType.optional(),
    /** False withdraws what the person consented to by this form. */
    form_consent: flag,
    email: z.string().max(1_000).optional(),
    source_page: z.string().max(2_000).optional(),
    visitor_id: identifier(100).optional(),
    acted_by: ActedBy,
    waited_seconds: WaitedSeconds,
  })
  // A body that says nothing else than its method is the submission of the form that this names.
  .transform(({ form_type: form, ...input }) => {
    const formType = form ?? (isFlagged(input) ? undefined : formOfMethod(input.method));
    return { ...input, ...(formType !== undefined && { form_type: formType }) };
  })
  .refine((input) => input.form_type !== undefined || isFlagged(input), {
    path: ["consent_tos"],
    message: "say at least one consent, or a form_type",
  })
  .refine((input) => input.form_consent === undefined || input.form_type !== undefined, {
    path: ["form_type"],
    message: "names the form of form_consent",
  });

export type ConsentSyncInput = z.output<typeof ConsentSyncInput>;

/** A decision in the store's customer accounts: one consent, or the withdrawal of a form's. */
export const AccountDecision = z
  .object({
    type: z
      .enum(CONSENT_TYPES, "must be a consent, or the name of a form")
      .exclude(["tos", "privacy"])
      .or(FormType),
    granted: z.boolean(),
  })
  .refine(({ type, granted }) => isConsentType(type) || !granted, {
    path: ["granted"],
    message: "a form's consent is given in the form, and can only be withdrawn here",
  })
  .transform(({ type, granted }): Partial<ConsentSyncInput> =>
    isConsentType(type)
      ? { [consentColumn(type)]: granted }
      : { form_type: type, form_consent: granted },
  );

/** The decisions of one request, ready to be recorded. */
export type Submission = {
  flags: Partial<Record<ConsentType, boolean>>;
  method: string;
  consentVersion: string | null;
  consentId: string;
  gaSessionId: string | null;
  gaClientId: string | null;
  timestamp: string | null;
  formType: string | null;
  /** What the submission of a form decides; the default is `granted`. */
  formAction?: "granted" | "revoked";
  sourcePage: string | null;
  userAgent: string | null;
  policyHash: string | null;
  gpc: boolean;
  /** Between the decision and its arrival; left out where it is made now. */
  waitedSeconds?: number | undefined;
};

const MAX_PAGE_CHARACTERS = 500;
const MAX_USER_AGENT_CHARACTERS = 500;

/** Pages are stored without their query: it may contain personal data. */
const withoutQuery = (page: string): string =>
  page.replace(/[?#].*$/s, "").slice(0, MAX_PAGE_CHARACTERS);

export function toSubmission(
  input: ConsentSyncInput,
  context: {
    consentId: string;
    userAgent: string | null;
    gpc: boolean;
    consentVersion: string | null;
    policyHash: string | null;
  },
): Submission {
  const entries = CONSENT_TYPES.flatMap((type) =>
    input[consentColumn(type)] === undefined ? [] : [[type, input[consentColumn(type)]] as const],
  );
  return {
    flags: Object.fromEntries(entries),
    method: input.method,
    consentVersion: context.consentVersion,
    consentId: input.consent_id ?? context.consentId,
    gaSessionId: input.ga_session_id ?? null,
    gaClientId: input.ga_client_id ?? null,
    timestamp: input.timestamp ?? null,
    formType: input.form_type ?? null,
    formAction: input.form_consent === false ? "revoked" : "granted",
    sourcePage: input.source_page === undefined ? null : withoutQuery(input.source_page),
    userAgent: context.userAgent?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null,
    policyHash: context.policyHash,
    gpc: context.gpc,
    waitedSeconds: input.waited_seconds,
  };
}
