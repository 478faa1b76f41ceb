/**
 * The sandbox ERP: an OData-like service that accepts JSON or XML documents at any path and stores
 * them.
 */
import { fieldsOf, json } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import type { Saving } from "../state-file.ts";

export type ErpDocument = {
  at: string;
  number: string;
  method: string;
  path: string;
  format: "json" | "xml";
  body: unknown;
};
export type ErpState = { documents: ErpDocument[] };

const MAX_KEPT_DOCUMENTS = 2000;
// Groups: closing slash, name, attributes, self-closing slash.
const TAG = /<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/g;
const FIRST_NUMBER = 1_000_000;

export function createErp(state: ErpState, saving: Saving) {
  return {
    handle(call: Call): ApiResponse {
      if (!/^(Basic [A-Za-z0-9+/]+=*|Bearer \S+)$/.test(call.headers.authorization ?? "")) {
        return json(401, odataError("401", "Logon failed"), {
          "www-authenticate": 'Basic realm="ERP"',
        });
      }
      if (call.method === "GET")
        return json(
          200,
          { d: { results: state.documents.filter(({ path }) => path === call.path) } },
          { "x-csrf-token": "sandbox-csrf" },
        );
      if (!["POST", "PUT", "PATCH"].includes(call.method))
        return json(405, odataError("405", "Method not allowed"));
      const contentType = call.headers["content-type"] ?? "";
      const format = /xml/i.test(contentType) ? "xml" : /json/i.test(contentType) ? "json" : null;
      if (format === null)
        return json(415, odataError("415", `Unsupported content type ${contentType}`));
      if (format === "json" && typeof call.body !== "object")
        return json(400, odataError("400", "Malformed JSON"));
      if (format === "xml" && !isWellFormed(call.text))
        return json(400, odataError("400", "Malformed XML"));
      const document: ErpDocument = {
        at: new Date().toISOString(),
        number: String(FIRST_NUMBER + state.documents.length),
        method: call.method,
        path: call.path,
        format,
        body: call.body,
      };
      state.documents.push(document);
      if (state.documents.length > MAX_KEPT_DOCUMENTS) state.documents.shift();
      saving.soon();
      if (format === "xml") {
        const headers = { "content-type": "application/xml; charset=utf-8" };
        return {
          status: 201,
          headers,
          body: `<?xml version="1.0" encoding="utf-8"?><entry><number>${document.number}</number></entry>`,
        };
      }
      return json(201, { d: { ...fieldsOf(call.body), DocumentNumber: document.number } });
    },
    documents: (): ErpDocument[] => [...state.documents],
  };
}

/**
 * Checks that tags nest and close and that ampersands are escaped: catches values written into XML
 * without escaping.
 */
function isWellFormed(xml: string): boolean {
  const open: string[] = [];
  let elements = 0;
  const rest = xml.replace(/<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>/g, "");
  const withoutTags = rest.replace(
    TAG,
    (_tag, closing: string, name: string, attributes: string, selfClosing: string) => {
      elements += 1;
      if (closing) return open.pop() === name ? "" : "<";
      if (!selfClosing) open.push(name);
      return attributes.replaceAll(">", "");
    },
  );
  const hasStrayCharacters = /[<>]|&(?!(amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)/.test(
    withoutTags,
  );
  return elements > 0 && open.length === 0 && !hasStrayCharacters;
}

function odataError(code: string, value: string): unknown {
  return { error: { code, message: { lang: "en", value } } };
}
