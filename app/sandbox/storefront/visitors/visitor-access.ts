/**
 * What keeps visitors out of the online store: its password, and the platform's protection against
 * programs. Help Center "Password protect your online store"; shopify.dev "Status and error codes" (430).
 */
import { setTimeout as wait } from "node:timers/promises";
import { redirect, type ApiResponse } from "../../exchange.ts";
import { html } from "../../html.ts";
import type { ShopState } from "../state.ts";

/** `status`: every visitor is refused with it. `delayMs`: each page takes this much longer. */
export type VisitorAccess = { status?: 403 | 429 | 430; delayMs?: number };

const page = (status: number, title: string, text: string, form = html``): ApiResponse => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
  body: html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title}</title>
      </head>
      <body>
        <h1>${title}</h1>
        <p>${text}</p>
        ${form}
      </body>
    </html>`.text,
});

export const passwordPage = ({ name }: ShopState): ApiResponse =>
  page(
    200,
    name,
    "This store is password protected.",
    html`<form method="post">
      <label>Enter the store's password <input type="password" name="password" /></label
      ><button>Enter</button>
    </form>`,
  );

/** The answer to a visitor who does not get the page; null: the page follows. */
export async function keepOut({
  domain,
  access,
  hasPassword,
}: ShopState): Promise<ApiResponse | null> {
  if (access?.delayMs) await wait(access.delayMs, undefined, { ref: false });
  if (access?.status)
    return page(access.status, "Access denied", "Your request looks like that of a program.");
  return hasPassword ? redirect(`/storefront/${domain}/password`) : null;
}
