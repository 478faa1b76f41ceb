/**
 * Runs an action of the app as a workflow does (shopify.dev "Create Flow action endpoints"): a signed POST,
 * ten seconds for the answer. The platform repeats after 429 and 5xx; here a person does.
 */
import { createHmac, randomUUID } from "node:crypto";
import { request } from "undici";
import type { ShopState } from "../state.ts";
import type { AppCredentials } from "../tokens.ts";
import type { FlowExtension } from "./flow-extensions.ts";

const TIMEOUT_MS = 10_000;
const MAX_KEPT = 50;

export type FlowRun = {
  id: string;
  at: string;
  handle: string;
  properties: Record<string, string>;
  /** null when there was no response. */
  status: number | null;
  answer: string;
};

type App = AppCredentials & { url: string };

/** Sends the action; `id`: of an earlier run that is repeated. */
export async function runFlowAction(
  shop: ShopState,
  app: App,
  action: FlowExtension,
  properties: Record<string, string>,
  id: string = randomUUID(),
): Promise<FlowRun> {
  const body = JSON.stringify({
    shop_id: shop.id,
    shopify_domain: shop.domain,
    action_run_id: id,
    action_definition_id: action.name,
    handle: action.handle,
    properties,
  });
  const run = { id, at: new Date().toISOString(), handle: action.handle, properties };
  const answered = await post(new URL(action.runtimeUrl, app.url).href, body, app.clientSecret);
  const made = { ...run, ...answered };
  shop.flowRuns = [made, ...(shop.flowRuns ?? [])].slice(0, MAX_KEPT);
  return made;
}

async function post(
  url: string,
  body: string,
  secret: string,
): Promise<Pick<FlowRun, "status" | "answer">> {
  try {
    const response = await request(url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "X-Shopify-Hmac-SHA256": createHmac("sha256", secret).update(body).digest("base64"),
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.statusCode, answer: (await response.body.text()).slice(0, 2_000) };
  } catch (error) {
    return { status: null, answer: error instanceof Error ? error.name : String(error) };
  }
}
