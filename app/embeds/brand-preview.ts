// What the brand settings make of a shopper's page, for the merchant. The page behind a mailed link shows
// all of them: the brand, a card, a field, a hint and a button.
import { renderResetForm, type PageLook } from "./account-pages.ts";

/** The preview runs no script, sends no form and follows no link. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src https: http:; base-uri 'none'; form-action 'none'";

/** `scheme`: shown whatever the merchant's own device prefers. */
export function renderBrandPreview(look: PageLook, scheme: "light" | "dark"): string {
  const head = `<meta http-equiv="Content-Security-Policy" content="${POLICY}"><style>:root{color-scheme:${scheme}}</style>`;
  return renderResetForm(look, { shop: "", token: "" })
    .replace("</head>", () => `${head}</head>`)
    .replace("<body ", "<body inert ");
}
