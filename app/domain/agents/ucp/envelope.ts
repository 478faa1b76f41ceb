// The envelope of every UCP result (ucp.dev "Overview"): the negotiated version and capabilities,
// the status, and messages for the agent or its shopper. A business outcome is a result; only an
// unauthorized caller gets an HTTP error.
import type { Tenant } from "../../tenants/tenant.ts";
import type { UcpVersion } from "./profile.ts";

/**
 * The terms negotiated with this caller: `capabilities` are those that both sides have in
 * `version`.
 */
export type UcpTerms = { version: UcpVersion; capabilities: readonly string[] };

type Severity = "recoverable" | "requires_buyer_input" | "requires_buyer_review" | "unrecoverable";
export type UcpMessage =
  | { type: "error"; code: string; content: string; severity: Severity; path?: string }
  | { type: "warning" | "info"; code: string; content: string; path?: string };

/** `relevant` are the capabilities that the operation belongs to. */
export function envelope(
  terms: UcpTerms,
  relevant: readonly string[],
  status: "success" | "error" = "success",
): { ucp: object } {
  const capabilities = Object.fromEntries(
    terms.capabilities
      .filter((name) => relevant.includes(name))
      .map((name) => [name, [{ version: terms.version }]]),
  );
  // There are no payments through us: a checkout is paid at the storefront.
  return { ucp: { version: terms.version, status, capabilities, payment_handlers: {} } };
}

export const refusalAnswer = (
  terms: UcpTerms,
  relevant: readonly string[],
  messages: readonly UcpMessage[],
  continueUrl?: string,
): object => ({
  ...envelope(terms, relevant, "error"),
  messages,
  ...(continueUrl && { continue_url: continueUrl }),
});

export const errorMessage = (
  code: string,
  content: string,
  severity: Severity,
  path?: string,
): UcpMessage => ({ type: "error", code, content, severity, ...(path && { path }) });

/** The store's own terms and privacy pages; the storefront has default pages for both. */
export function linksOf(tenant: Tenant): { type: string; url: string }[] {
  return [
    {
      type: "terms_of_service",
      url: tenant.config.terms_url ?? `https://${tenant.shop}/policies/terms-of-service`,
    },
    {
      type: "privacy_policy",
      url: tenant.config.privacy_url ?? `https://${tenant.shop}/policies/privacy-policy`,
    },
  ];
}

export type UcpTotal = { type: string; amount: number };
export const totalsOf = (subtotal: number, total: number): UcpTotal[] => [
  { type: "subtotal", amount: subtotal },
  { type: "total", amount: total },
];
