// Renders documents. The headers of every page are set here; an error is logged here once and
// nowhere else.
import { randomBytes } from "node:crypto";
import {
  createReadableStreamFromReadable,
  type ActionFunctionArgs,
  type AppLoadContext,
  type EntryContext,
  type LoaderFunctionArgs,
} from "@remix-run/node";
import { RemixServer } from "@remix-run/react";
import { isbot } from "isbot";
import { I18nextProvider } from "react-i18next";
import { renderToPipeableStream } from "react-dom/server";
import { NonceContext } from "./components/frame/nonce.ts";
import { createI18n } from "./components/i18n/create-i18n.ts";
import { localeOf } from "./components/i18n/locale.ts";
import { translationsOf } from "./components/i18n/translations.server.ts";
import { createDocumentStream } from "./http/screens/document-stream.ts";

export const streamTimeout = 5_000;

export default async function handleRequest(
  request: Request,
  status: number,
  headers: Headers,
  remixContext: EntryContext,
  { ctx, shopify }: AppLoadContext,
): Promise<Response> {
  const nonce = randomBytes(16).toString("base64");
  headers.set("Content-Type", "text/html; charset=utf-8");
  shopify.setDocumentHeaders(request, headers, nonce);
  headers.append("Vary", "Accept-Language");
  const locale = localeOf(request);
  const i18n = await createI18n(locale, translationsOf(locale));
  return new Promise((resolve, reject) => {
    let isShellSent = false;
    let finalStatus = status;
    const send = () => {
      isShellSent = true;
      const body = createDocumentStream();
      resolve(
        new Response(createReadableStreamFromReadable(body), { status: finalStatus, headers }),
      );
      pipe(body);
    };
    const { pipe, abort } = renderToPipeableStream(
      <NonceContext.Provider value={nonce}>
        <I18nextProvider i18n={i18n}>
          <RemixServer
            context={remixContext}
            url={request.url}
            abortDelay={streamTimeout}
            nonce={nonce}
          />
        </I18nextProvider>
      </NonceContext.Provider>,
      {
        nonce,
        [isbot(request.headers.get("user-agent")) ? "onAllReady" : "onShellReady"]: send,
        onShellError: reject,
        onError(error: unknown) {
          finalStatus = 500;
          // An error before the shell rejects, and Remix hands it to handleError below.
          if (isShellSent && !request.signal.aborted)
            ctx.log.error("screen.failed", error, { path: new URL(request.url).pathname });
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
  context.failure = error;
  context.ctx.log.error("screen.failed", error, { path: new URL(request.url).pathname });
}
