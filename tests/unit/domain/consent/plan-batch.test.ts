// Submissions of one store that share a commit.
import { expect, it } from "vitest";
import {
  toSubmission,
  type ConsentSyncInput,
} from "../../../../app/domain/consent/consent-input.ts";
import { planBatch } from "../../../../app/domain/consent/write/plan-batch.ts";
import type { SubjectState } from "../../../../app/domain/consent/write/known-decisions.ts";

const ADA = { userId: 7 };
const NOW = new Date("2026-11-27T12:00:00Z");

const write = (input: ConsentSyncInput) => ({
  subject: ADA,
  submission: toSubmission(input, {
    consentId: input.method,
    userAgent: null,
    gpc: false,
    consentVersion: null,
    policyHash: null,
  }),
  traceParent: null,
});

it("two submissions of one person are one change with the decisions of both, as the store and Shopify Flow get it", () => {
  const state: SubjectState = {
    flags: { tos: true, privacy: true, cookie: false, marketing: true, a2a: false, ap2: false },
    last: new Map([["marketing", "granted"]]),
    lastAt: new Map(),
    rows: new Map(),
  };
  const { changes } = planBatch(
    [
      write({ method: "compliance-page", consent_marketing: false }),
      write({ method: "banner", consent_cookie: true }),
    ],
    new Map([["u7", state]]),
    NOW,
  );
  const change = changes.get(ADA.userId);

  expect(change?.flags).toMatchObject({ marketing: false, cookie: true });
  expect(
    change?.entries.map(({ consentType, action, method }) => [consentType, action, method]),
  ).toEqual([
    ["marketing", "revoked", "compliance-page"],
    ["cookie", "granted", "banner"],
  ]);
});
