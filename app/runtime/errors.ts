// Error codes and their statuses (DECISIONS 3). Errors say who must act: AppError the caller,
// OutboundError the operator or time; anything else is our own bug and becomes a 500.
import type { FieldProblemCode } from "./field-problem.ts";

const TITLES = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  408: "RequestTimeout",
  409: "Conflict",
  413: "PayloadTooLarge",
  415: "UnsupportedMediaType",
  422: "UnprocessableContent",
  424: "FailedDependency",
  429: "TooManyRequests",
  431: "RequestHeaderFieldsTooLarge",
  500: "InternalError",
  502: "BadGateway",
  503: "ServiceUnavailable",
} as const;

export type ErrorStatus = keyof typeof TITLES;

/** Every error code of the service: its status, and the default message. */
const ERRORS = {
  malformed_json: [400, "The body is not valid JSON."],
  malformed_body: [400, "The body is not valid UTF-8."],
  malformed_request: [400, "The request cannot be read."],
  invalid_request: [400, "Some fields are missing or wrong."],
  invalid_profile_url: [400, "The agent's profile must be named by an https address."],
  invalid_shop: [400, "The shop must look like name.myshopify.com."],
  invalid_cursor: [400, "The cursor is damaged or belongs to another list."],
  invalid_install: [
    400,
    "The install answer could not be verified. Start the install again from the store admin.",
  ],
  tenant_required: [400, "Name the store: ?shop=name.myshopify.com."],
  unknown_fields: [400, "Some fields are not known."],
  unknown_region: [400, "No database is configured for this region."],
  consent_required: [400, "The terms of use and the privacy policy must be accepted."],
  invalid_link: [400, "This link is invalid, expired or already used. Request a new one."],
  password_required: [400, "Send the account's password as well, or a new one to replace it."],
  invalid_code: [400, "This code is invalid, expired or already used. Sign in again."],
  // For /oauth/*: the names of RFC 6749, RFC 7591 and RFC 8707, sent as they are.
  unknown_client: [400, "The client is unknown."],
  invalid_grant: [
    400,
    "The code or token is invalid, expired, already used, or was issued to another client.",
  ],
  invalid_scope: [400, "A requested scope is not offered, or was not granted."],
  invalid_target: [400, "The resource does not belong to this service."],
  invalid_redirect_uri: [400, "A redirect address is missing or not allowed."],
  invalid_client_metadata: [400, "The client metadata is invalid or not accepted."],
  unauthorized_client: [400, "This store does not let agents act for its shoppers."],
  unsupported_grant_type: [400, "The grant type must be authorization_code or refresh_token."],
  personal_data_not_accepted: [400, "Warehouse events must not contain personal data."],
  too_many_tags: [400, "The customer already has the maximum number of tags."],
  unauthorized: [401, "Send a valid key or session token."],
  invalid_signature: [401, "The signature is missing or does not match the body."],
  invalid_state: [401, "The sign-in state is unknown, expired or already used."],
  invalid_client: [401, "Client authentication failed."],
  invalid_token: [401, "The access token is invalid, expired or revoked."],
  invalid_credentials: [401, "The email address or the password is wrong."],
  reauth_required: [401, "Confirm that it is you: send your password, or sign in again."],
  forbidden: [403, "This key does not have the required permission."],
  agent_consent_required: [403, "The shopper has not allowed agents to act, or has withdrawn it."],
  payment_consent_required: [
    403,
    "Agent payments consent is required: the shopper has not given it, or has withdrawn it.",
  ],
  agent_payments_disabled: [403, "This store does not accept payments by agents."],
  mandate_refused: [403, "The mandate does not cover this checkout."],
  agent_access_disabled: [403, "This store does not let agents act for its shoppers."],
  insufficient_scope: [403, "The access token does not have the required scope."],
  account_suspended: [403, "This account is suspended."],
  account_deleted: [
    403,
    "The data of this account was deleted here. The store's own account remains.",
  ],
  tag_reserved: [403, "Only the store can assign this tag."],
  email_unverified: [403, "Verify your email address first. A new link was sent to it."],
  origin_not_allowed: [403, "This site may not act for the signed-in customer."],
  not_found: [404, "Not found. Check the address, the id and the store."],
  unknown_tenant: [404, "This store is not registered."],
  method_not_allowed: [405, "This method is not allowed here."],
  tenant_has_data: [409, "The store already has data in its current region."],
  move_not_possible: [409, "The store cannot be moved."],
  move_in_progress: [409, "The store is already being moved."],
  move_finished: [409, "The move has ended, or can no longer be cancelled."],
  idempotency_conflict: [409, "This Idempotency-Key was used with another body."],
  idempotency_in_flight: [
    409,
    "The first request with this Idempotency-Key is still being answered. Try again shortly.",
  ],
  checkout_closed: [409, "The checkout is completed or canceled, and no longer changes."],
  items_unavailable: [409, "Some items are not available in the requested quantity."],
  conflict: [409, "The record was changed by somebody else. Read it again and retry."],
  email_taken: [409, "An account with this email address already exists."],
  other_person: [409, "Another customer is signed in. Nothing was recorded."],
  setting_missing: [409, "A store setting is missing. The merchant adds it under Settings."],
  sync_running: [409, "A sync of this store is already running."],
  scheduled_run_running: [409, "A scheduled run is already running."],
  cms_not_configured: [
    409,
    "The CMS token and the Customers collection of this store are not set.",
  ],
  request_timeout: [408, "The request did not arrive in time."],
  payload_too_large: [413, "The body is too large."],
  unsupported_media_type: [415, "Send application/json."],
  profile_malformed: [422, "The agent's profile is not a valid UCP profile."],
  version_unsupported: [422, "This store does not support the UCP version in the agent's profile."],
  profile_unreachable: [424, "The agent's profile cannot be fetched."],
  too_many_requests: [429, "Too many requests. Retry after the number of seconds in Retry-After."],
  headers_too_large: [431, "The address and the headers are too large."],
  internal_error: [500, "Something went wrong on our side. It has been logged."],
  token_refresh_failed: [
    502,
    "The storefront did not issue a new token. If the problem persists, reinstall the app.",
  ],
  storefront_unavailable: [502, "The storefront did not answer."],
  cms_unavailable: [
    502,
    "The CMS rejected the request or did not answer. Check its token and collection ids.",
  ],
  delivery_failed: [
    502,
    "The destination rejected the delivery or did not answer. See the delivery log.",
  ],
  circuit_open: [
    502,
    "Nothing was sent: deliveries to this destination are paused after repeated failures. They resume automatically.",
  ],
  not_installed: [502, "The app is not installed in this store. Install it again."],
  database_unavailable: [503, "The database is unavailable. Try again shortly."],
  archive_unavailable: [503, "The archive did not answer. Try again shortly."],
  store_moving: [
    503,
    "The store is being moved to another database and takes no changes for a moment. Try again shortly.",
  ],
  cell_not_served: [503, "This process does not serve the store's cell."],
  overloaded: [503, "More events arrive than can be stored right now. Try again shortly."],
  busy: [503, "Too many sign-ins right now. Try again shortly."],
  starting: [503, "The service is starting. Try again shortly."],
  shutting_down: [503, "The service is stopping. Try again shortly."],
} as const satisfies Record<string, readonly [ErrorStatus, string]>;

export type ErrorCode = keyof typeof ERRORS;

type AppErrorOptions = {
  message?: string;
  /** Field path to the reason of its rejection. */
  fields?: Record<string, string>;
  /** The code of each reason, for the service's own screens. Not in the body. */
  fieldCodes?: Record<string, FieldProblemCode>;
  /** Additional members of the body, where an endpoint's contract has them. */
  details?: Record<string, unknown>;
  headers?: Record<string, string>;
};

// In development the screens load a second copy of this module: classes are identified by a registered
// symbol, which works across both copies where `instanceof` alone would not.
const APP_ERROR = Symbol.for("customer-identity-service.AppError");
const OUTBOUND_ERROR = Symbol.for("customer-identity-service.OutboundError");

const bears = (value: unknown, mark: symbol): boolean =>
  typeof value === "object" && value !== null && mark in value;

export class AppError extends Error {
  readonly [APP_ERROR] = true;
  readonly code: ErrorCode;
  readonly status: ErrorStatus;
  readonly fields: Record<string, string> | undefined;
  readonly fieldCodes: Record<string, FieldProblemCode> | undefined;
  readonly details: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? ERRORS[code][1]);
    this.name = "AppError";
    this.code = code;
    this.status = ERRORS[code][0];
    this.fields = options.fields;
    this.fieldCodes = options.fieldCodes;
    this.details = options.details ?? {};
    this.headers = options.headers ?? {};
  }
}

export function isAppError(error: unknown): error is AppError {
  return bears(error, APP_ERROR);
}

/** The JSON body of DECISIONS 3. */
export function toErrorBody(error: AppError, requestId: string) {
  return {
    error: TITLES[error.status],
    code: error.code,
    message: error.message,
    ...(error.fields && { fields: error.fields }),
    ...error.details,
    request_id: requestId,
  };
}

/** `graphql`: the system answered that it refused the call, or failed at it; its status is in `status`. */
export type OutboundErrorKind =
  | "network"
  | "timeout"
  | "refused_address"
  | "foreign_redirect"
  | "status"
  | "malformed"
  | "graphql";

/** Addresses that we refuse to call, at every attempt. */
const REFUSED_KINDS: readonly OutboundErrorKind[] = ["refused_address", "foreign_redirect"];

/** A failed call to an outside system. `retryable`: whether a later attempt may succeed. */
export class OutboundError extends Error {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return bears(value, OUTBOUND_ERROR);
  }

  readonly [OUTBOUND_ERROR] = true;
  readonly system: string;
  readonly kind: OutboundErrorKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly body: string | undefined;

  constructor(
    system: string,
    kind: OutboundErrorKind,
    details: { status?: number; retryAfterMs?: number; message?: string; body?: string } = {},
  ) {
    super(details.message ?? `${system}: ${kind}${details.status ? ` ${details.status}` : ""}`);
    this.name = "OutboundError";
    this.system = system;
    this.kind = kind;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.body = details.body;
  }

  /** 4xx other than 408, 423 and 429 are permanent; so is an address that we refuse to call. */
  get retryable(): boolean {
    if (REFUSED_KINDS.includes(this.kind)) return false;
    const isRefusal = this.status !== undefined && this.status >= 400 && this.status < 500;
    return !isRefusal || this.status === 408 || this.status === 423 || this.status === 429;
  }

  /**
   * Whether the failure means that the system itself is failing, and so counts towards its circuit.
   */
  get countsForCircuit(): boolean {
    if (REFUSED_KINDS.includes(this.kind)) return false;
    return this.status === undefined || this.status >= 500 || this.status === 429;
  }
}

/** Waits for the deletion of something outside; what is missing there counts as deleted. */
export async function ignoreMissing(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!(error instanceof OutboundError && error.status === 404)) throw error;
  }
}
