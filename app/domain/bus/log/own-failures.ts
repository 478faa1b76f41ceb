// The reasons that channels give for a delivery that cannot succeed. Each text stands beside the pattern
// by which the log finds its kind again, in the order in which they are tried; what the pattern captures
// is shown to the merchant.
import type { TenantFieldName } from "../../tenants/tenant-config.ts";
import type { FailureKind } from "./failure-kind.ts";

type OwnFailure = { text: (...parts: never[]) => string; pattern: RegExp; kind: FailureKind };

const MAX_SKU_CHARACTERS = 500;

export const OWN_FAILURES = {
  consentMissing: {
    text: (scope: string) => `consent_missing: ${scope}`,
    pattern: /^consent_missing: ([\w-]+)$/,
    kind: "consent",
  },
  fieldsMissing: {
    text: (names: readonly string[]) => `missing required field: ${names.join(", ")}`,
    pattern: /^missing required field: ([\w., [\]-]+)$/,
    kind: "data",
  },
  productsUnknown: {
    text: (skus: readonly string[]) =>
      `no UPC for SKU ${skus.join(", ").slice(0, MAX_SKU_CHARACTERS)}`,
    pattern: /^no UPC for SKU ([^@]+)$/,
    kind: "data",
  },
  mappingMissing: {
    text: (mapping: string) => `no mapping for ${mapping}`,
    pattern: /^no mapping for ([\w/]+)$/,
    kind: "mapping",
  },
  mappingInvalid: {
    text: (mapping: string, reason: string) => `the mapping for ${mapping} is not one: ${reason}`,
    pattern: /^the mapping for ([\w/]+) is not one/,
    kind: "mapping",
  },
  fieldNotSet: {
    text: (name: TenantFieldName) => `${name} is not set`,
    pattern: /^([a-z_]+) is not set$/,
    kind: "setting",
  },
  notSet: {
    text: (what: string) => `${what} is not set`,
    pattern: /(?: is| are) not set$/,
    kind: "setting",
  },
  notEnabled: {
    text: (system: string) => `${system} is not enabled or has no address`,
    pattern: /is not enabled or has no address$/,
    kind: "setting",
  },
  entityRefused: {
    text: (channel: string, accepted: string, given: string) =>
      `${channel} takes ${accepted}, not ${given}`,
    pattern: /^\w+ takes [\w, ]+, not (\w+)$/,
    kind: "data",
  },
} as const satisfies Record<string, OwnFailure>;
