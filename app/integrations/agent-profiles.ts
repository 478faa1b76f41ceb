// The profile that an agent's platform publishes (ucp.dev "Overview", Platform profile). The caller
// supplies the URL, so it is untrusted.
import { OutboundError } from "../runtime/errors.ts";
import type { Outbound } from "../runtime/outbound/outbound.ts";

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 128 * 1024;

export type ProfileDocument =
  { outcome: "read"; document: unknown } | { outcome: "unreachable" } | { outcome: "malformed" };

/**
 * GETs the JSON document at `url`. Private addresses are refused and redirects are not followed; a
 * document above 128 KiB is `malformed`. An OutboundError of any kind, or a status other than 200,
 * is `unreachable`; nothing is thrown for a failed call. Time limit: 5 s.
 */
export async function fetchAgentProfile(outbound: Outbound, url: string): Promise<ProfileDocument> {
  try {
    const answer = await outbound.send({
      system: "agent_profile",
      url,
      headers: { Accept: "application/json" },
      timeoutMs: TIMEOUT_MS,
      maxAnswerBytes: MAX_BYTES,
      isTenantAddress: true,
    });
    if (answer.status !== 200) return { outcome: "unreachable" };
    if (answer.isCut) return { outcome: "malformed" };
    return { outcome: "read", document: JSON.parse(answer.text) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return { outcome: "malformed" };
    if (error instanceof OutboundError) return { outcome: "unreachable" };
    throw error;
  }
}
