// Renders documents. The headers of every page are set here; an error is logged here once and nowhere else.
import { randomBytes } from "node:crypto";
import { PassThrough } from "node:stream";
import {
  createReadableStreamFromReadable,
  type ActionFunctionArgs,
  type AppLoadContext,
  type EntryContext,
  type LoaderFunctionArgs,
} from "@remix-run/node";
import { RemixServer } from "@remix-run/react";
import { isbot } from "isbot";
import { renderToPipeableStream } from "react-dom/server";
import { NonceContext } from "./components/nonce.ts";

export const streamTimeout = 5_000;

export default function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  { ctx, shopify }: AppLoadContext,
): Promise<Response> {
  const nonce = randomBytes(16).toString("base64");
  headers.set("Content-Type", "text/html; charset=utf-8");
  shopify.setDocumentHeaders(request, headers, nonce);
  return new Promise((resolve, reject) => {
    let isShellSent = false;
    let finalStatus = status;
    const send = () => {
      isShellSent = true;
      const body = new PassThrough();
      resolve(
        new Response(createReadableStreamFromReadable(body), { status: finalStatus, headers }),
      );
      pipe(body);
    };
    const { pipe, abort } = renderToPipeableStream(
      <NonceContext.Provider value={nonce}>
        <RemixServer
          context={remixContext}
          url={request.url}
          abortDelay={streamTimeout}
          nonce={nonce}
        />
      </NonceContext.Provider>,
      {
        nonce,
        [isbot(request.headers.get("user-agent")) ? "onAllReady" : "onShellReady"]: send,
        onShellError: reject,
        onError(error: unknown) {
          finalStatus = 500;
          // An error before the shell rejects, and Remix hands it to handleError below.
          if (isShellSent && !request.signal.aborted)
            ctx.log.failed("screen.failed", error, { path: new URL(request.url).pathname });
        },
      },
    );
    setTimeout(abort, streamTimeout + 1_000).unref();
  });
}

export function handleError(
  error: unknown,
  { request, context }: LoaderFunctionArgs | ActionFunctionArgs,
): void {
  // A route error with a status is an answer, not a failure of ours; a reader who left is neither.
  const isAnswer =
    typeof error === "object" && error !== null && "status" in error && "statusText" in error;
  if (isAnswer || request.signal.aborted) return;
  context.ctx.log.failed("screen.failed", error, { path: new URL(request.url).pathname });
}
