// What every UCP answer carries (ucp.dev "Overview"): the version and capabilities that both sides speak, how it went, and
// messages for the agent or its shopper. A business outcome is an answer; only who may not speak at all gets an HTTP error.
import type { Tenant } from "../tenants/tenant.ts";
import type { UcpVersion } from "./ucp-profile.ts";

/** What was agreed with this caller: `capabilities` are names that both sides have in `version`. */
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
  // Nobody pays through us: a checkout is paid for at the storefront.
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

/** Terms and privacy as the store names them; the storefront has a page of its own for both. */
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
