// The metadata document at an agent's client id URL (draft-ietf-oauth-client-id-metadata-document).
// The caller supplies the URL, so it is untrusted.
import { OutboundError } from "../runtime/errors.ts";
import type { Outbound } from "../runtime/outbound/outbound.ts";

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 10 * 1024;

/**
 * GETs the JSON document at `url`. Returns null when the call fails for any reason, the status is
 * not 200, the content type is not JSON, or the document is above 10 KiB. Private addresses are
 * refused and redirects are not followed. Time limit: 5 s.
 */
export async function fetchClientDocument(outbound: Outbound, url: string): Promise<unknown> {
  try {
    const answer = await outbound.send({
      system: "agent_client",
      url,
      headers: { Accept: "application/json" },
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MAX_BYTES,
      isTenantAddress: true,
    });
    const isJson = /^application\/([\w.-]+\+)?json\b/i.test(
      String(answer.headers["content-type"] ?? ""),
    );
    if (answer.status !== 200 || !isJson || answer.isCut) return null;
    return JSON.parse(answer.text) as unknown;
  } catch (error) {
    if (error instanceof OutboundError || error instanceof SyntaxError) return null;
    throw error;
  }
}
