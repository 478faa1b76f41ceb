// The document behind an agent's client id: draft-ietf-oauth-client-id-metadata-document. The address is a stranger's.
import { OutboundError } from "../runtime/errors.ts";
import type { Outbound } from "../runtime/outbound.ts";

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 10 * 1024;

/** The document as JSON; null when it cannot be had, is larger than 10 KiB, or is none. */
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
    if (
      answer.status !== 200 ||
      !isJson ||
      Number(answer.headers["content-length"] ?? 0) > MAX_BYTES
    )
      return null;
    return JSON.parse(answer.text) as unknown;
  } catch (error) {
    if (error instanceof OutboundError || error instanceof SyntaxError) return null;
    throw error;
  }
}
