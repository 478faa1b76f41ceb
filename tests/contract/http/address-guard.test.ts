// The guard against responses with a signature or token in an address, in case a page ever writes one.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  guardApiResponse,
  guardResponse,
  SECRET_PARAMETERS,
} from "../../../app/http/address-guard.ts";
import { json, plain, redirect, type ApiResponse } from "../../../app/http/api-response.ts";
import { startService, type Service } from "../../support/service.ts";
import { processorMs } from "../../support/processor-time.ts";

let deployed: Service;
let tested: Service;
beforeAll(async () => {
  [deployed, tested] = await Promise.all([
    startService({ env: { NODE_ENV: "production" } }),
    startService(),
  ]);
});
afterAll(() => Promise.all([deployed.stop(), tested.stop()]));

const SECRET = "0123456789abcdef0123456789abcdef";
const here = (query = "") => new URL(`https://app.example/page${query}`);
const page = (html: string): ApiResponse => plain(200, "text/html; charset=utf-8", html);

/** The ways a page may write one parameter: escaped for HTML, for a script, for another address. */
const written = (name: string): string[] => [
  `<a href="/x?${name}=${SECRET}">`,
  `<a href="/x?a=1&amp;${name}=${SECRET}">`,
  `<a href="/x?a=1&#38;${name}&#61;${SECRET}">`,
  `<form action="/oauth/authorize?return_to=%2Fx%3F${name}%3D${SECRET}">`,
  `<form action="/y?return_to=%2Fx%253Fa%253D1%2526${name}%253D${SECRET}">`,
  `<script>window.open("/x?a=1\\u0026${name}\\u003d${SECRET}")</script>`,
  `<a href="/x#${name}=${SECRET}">`,
  `<a href="/x?${name.toUpperCase()}=${SECRET}">`,
];

describe.each([...SECRET_PARAMETERS])("%s in an address", (name) => {
  it("is redacted in a page and logged for the operator, in production", () => {
    for (const html of written(name)) {
      const before = deployed.logged.length;
      const { body } = guardApiResponse(
        deployed.ctx,
        here(),
        page(`<p>before</p>${html}<p>after</p>`),
      );
      expect([html, String(body).includes(SECRET)]).toEqual([html, false]);
      expect(body).toMatch(/<p>before<\/p>.*redacted.*<p>after<\/p>/s);
      expect(deployed.logged.slice(before)).toMatchObject([
        { event: "answer.redacted", path: "/page", found: name },
      ]);
    }
  });

  it("is redacted in a redirect, in production; the rest stays", () => {
    const reply = redirect(`https://app.example/x?a=1&${name}=${SECRET}&b=2#c`);
    expect(guardApiResponse(deployed.ctx, here(), reply).headers.Location).toBe(
      `https://app.example/x?a=1&${name}=redacted&b=2#c`,
    );
    const sent = new Response(null, { status: 302, headers: { Location: `/x?${name}=${SECRET}` } });
    expect(guardResponse(deployed.ctx, here(), sent).headers.get("location")).toBe(
      `/x?${name}=redacted`,
    );
  });

  it("throws under tests", async () => {
    for (const html of written(name))
      expect(() => guardApiResponse(tested.ctx, here(), page(html))).toThrow(name);
    expect(() => guardApiResponse(tested.ctx, here(), redirect(`/x?${name}=${SECRET}`))).toThrow(
      name,
    );
    const streamed = guardResponse(
      tested.ctx,
      here(),
      new Response(written(name)[0], { headers: { "Content-Type": "text/html" } }),
    );
    await expect(streamed.text()).rejects.toThrow(name);
  });
});

describe("a secret of the request", () => {
  it.each(["signature", "hmac", "id_token", "key"])(
    "is repeated by no response, wherever it stands: %s",
    (name) => {
      for (const secret of [SECRET, "0123+456/789=abc&def"])
        for (const shown of [secret, encodeURIComponent(secret)]) {
          const query = `?${name}=${encodeURIComponent(secret)}`;
          const replies = [page(`<p>${shown}</p>`), json(400, { message: `no ${shown}` })];
          for (const reply of replies)
            expect(guardApiResponse(deployed.ctx, here(query), reply).body).not.toContain(shown);
        }
    },
  );
});

describe("a link that names a piece of a page as a secret", () => {
  it.each(["hmac", "key"])("gets no page with that piece missing: %s", (name) => {
    const warning = "You will be sent to https://evil.example";
    const html = `<h1>Allow access?</h1><p>${warning}</p><button>Allow</button>`;
    const before = deployed.logged.length;
    const url = here(`?${name}=${encodeURIComponent(warning)}`);
    const { status, body, headers } = guardApiResponse(deployed.ctx, url, page(html));
    expect([status, headers["Content-Type"]]).toEqual([400, "text/plain; charset=utf-8"]);
    expect(body).not.toMatch(/Allow|evil/);
    expect(deployed.logged.slice(before)).toMatchObject([{ event: "answer.redacted" }]);
  });

  it.each(["hmac", "key"])(
    "gets a streamed page, which cannot be taken back, with that text in it: %s",
    async (name) => {
      const html = "<p>This cannot be undone.</p><button>Delete all customers</button>";
      const url = here(`?${name}=This+cannot+be+undone.&${name}=${SECRET}`);
      const streamed = guardResponse(
        deployed.ctx,
        url,
        new Response(`${html}<p>${SECRET}</p>`, { headers: { "Content-Type": "text/html" } }),
      );
      expect(await streamed.text()).toBe(`${html}<p>redacted</p>`);
    },
  );
});

describe("an address without a secret", () => {
  it("is sent unchanged", () => {
    for (const text of [
      `<p>The signature=proof</p><p>signature = ${SECRET}</p>`,
      `<a href="/x?design=${SECRET}&state=a%3Db&code=${SECRET}">`,
      `<a href="/x?id_token_hint=${SECRET}">`,
      '{"signature":"abc","code":"invalid_signature"}',
      `<a href="/x?signature=">`,
    ])
      expect(guardApiResponse(tested.ctx, here(), page(text)).body).toBe(text);
    const location = `https://store.example/x?error=denied#session_code=${SECRET}`;
    expect(guardApiResponse(tested.ctx, here(), redirect(location)).headers.Location).toBe(
      location,
    );
  });
});

describe("a streamed page", () => {
  it("is guarded across chunk borders and arrives complete", async () => {
    const html = `<p>é</p>${written("hmac").join("<p>text</p>")}${"<i>x</i>".repeat(200)}<p>end</p>`;
    const bytes = new TextEncoder().encode(html);
    const expected = guardApiResponse(deployed.ctx, here(), page(html)).body;
    for (const size of [1, 2, 3, 7, 64, 1_000]) {
      let at = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (at >= bytes.length) return controller.close();
          controller.enqueue(bytes.slice(at, (at += size)));
        },
      });
      const streamed = guardResponse(
        deployed.ctx,
        here(),
        new Response(body, { headers: { "Content-Type": "text/html; charset=utf-8" } }),
      );
      expect([size, await streamed.text()]).toEqual([size, expected]);
    }
  });

  it("is scanned in linear time for any content", async () => {
    for (const piece of ["&", "%25", "?signature", "&hmac=a", ";", "\\u0026", "a"]) {
      const html = piece.repeat(Math.floor((2 * 1024 * 1024) / piece.length));
      const started = processorMs();
      guardApiResponse(deployed.ctx, here(), page(html));
      await guardResponse(
        deployed.ctx,
        here(),
        new Response(html, { headers: { "Content-Type": "text/html" } }),
      ).text();
      expect([piece, processorMs() - started < 2_000]).toEqual([piece, true]);
    }
  });
});
