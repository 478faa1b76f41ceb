// What a presented mandate proves by itself: its form, the store's key and the signatures. Nothing
// here reads the ledger.
import { importJWK } from "jose";
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { publicMandateKey } from "../../commerce/mandate-proof.ts";
import { ClosedContent, OpenContent, SignedTerms } from "./presented-content.ts";
import type { Checklist } from "./proof-checks.ts";
import {
  MalformedToken,
  readHeader,
  splitChain,
  verifiedPayload,
  withDisclosures,
  type SdJwt,
} from "./sd-jwt.ts";

export type Presented = {
  token: SdJwt;
  open: OpenContent;
  closed: ClosedContent | null;
  /** The checkout that a closed checkout mandate carries. */
  terms: SignedTerms | null;
};

/** What the store's key signed; null, with the reason on the list, for anything else. */
export async function authenticate(
  ctx: Ctx,
  text: string,
  list: Checklist,
): Promise<Presented | null> {
  try {
    const [first, second] = splitChain(text);
    if (!isOfStore(ctx, first, "mandate+sd-jwt", list)) return null;
    const own = await importJWK(publicMandateKey(ctx.config), "ES256");
    const payload = await verifiedPayload(first.jwt, own);
    if (payload === null) return refused(list);
    const open = OpenContent.parse(withDisclosures(payload, first));
    const closed = second ? await readClosed(ctx, second, open, list) : null;
    if (second && !closed) return null;
    const jwt = closed?.checkoutJwt ?? null;
    const terms = jwt === null ? null : await verifiedPayload(jwt, own);
    if (jwt !== null && terms === null) return refused(list);
    const read = terms === null ? null : SignedTerms.parse(terms);
    list.pass("format");
    list.pass("signature");
    return { token: first, open, closed, terms: read };
  } catch (error) {
    if (!(error instanceof MalformedToken) && !(error instanceof z.ZodError)) throw error;
    list.fail("format", "malformed");
    return null;
  }
}

/** Verifies the closed mandate with the key that its open mandate names, as AP2 chains them. */
async function readClosed(
  ctx: Ctx,
  token: SdJwt,
  { holder }: OpenContent,
  list: Checklist,
): Promise<ClosedContent | null> {
  if (!isOfStore(ctx, token, "kb+sd-jwt", list)) return null;
  const payload = await verifiedPayload(token.jwt, await importJWK(holder, "ES256"));
  if (payload === null) return refused(list);
  return ClosedContent.parse(withDisclosures(payload, token));
}

function refused(list: Checklist): null {
  list.pass("format");
  list.fail("signature", "bad_signature");
  return null;
}

function isOfStore(ctx: Ctx, token: SdJwt, type: string, list: Checklist): boolean {
  const { alg, typ, kid } = readHeader(token);
  if (alg !== "ES256") {
    list.fail("signature", "wrong_algorithm");
    return false;
  }
  if (typ !== type) throw new MalformedToken("a token of another kind");
  const isKnown = kid === publicMandateKey(ctx.config).kid;
  list.settle("key", isKnown ? null : "unknown_key");
  return isKnown;
}
