// Stands between the A2A kit and the service. The kit sends sentences whose `messageId` says what the
// agent shall do; our agent takes data parts. The proxy puts such a part into the message and changes
// nothing else, so that the answers are the service's own.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const CATALOG = {
  data: { skill: "product-catalog", arguments: { query: "lamp" } },
  mediaType: "application/json",
};
const COMPLETES = /^tck-(complete-task|artifact-data|stream)/;

type Message = { messageId?: string; parts?: { text?: string }[] };

/** A message of the kit in the words of our agent; the others, and what has no text, stay as they are. */
function translate(message: Message): Message {
  const isSentence = message.parts?.some(({ text }) => text !== undefined) ?? false;
  return isSentence && COMPLETES.test(message.messageId ?? "")
    ? { ...message, parts: [CATALOG as never] }
    : message;
}

const CARD = "/.well-known/agent-card.json";

/** The body with the kit's message translated; what is no JSON is part of the kit's checks. */
function translateBody(body: string): string {
  try {
    const call = JSON.parse(body) as { params?: { message?: Message } };
    if (call.params?.message) call.params.message = translate(call.params.message);
    return JSON.stringify(call);
  } catch {
    return body;
  }
}

export type TckProxy = { url: string; stop(): Promise<void> };

/** `shop` and, as the kit fetches the card without it, the protocol version are added. */
export async function startTckProxy(service: string, shop: string): Promise<TckProxy> {
  const server: Server = createServer();
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url ?? "/", service);
    url.searchParams.set("shop", shop);
    const { host: _, connection: _c, "content-length": _l, ...headers } = request.headers;
    if (url.pathname === CARD) headers["a2a-version"] ??= "1.0";
    const answer = await fetch(url, {
      method: request.method ?? "GET",
      headers: headers as Record<string, string>,
      ...(request.method === "POST" && { body: translateBody(Buffer.concat(chunks).toString()) }),
    });
    const text = (await answer.text()).replaceAll(service, own);
    const {
      "content-encoding": _e,
      "content-length": _n,
      ...kept
    } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, kept).end(text);
  };
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    pass(request, response).catch(() => response.writeHead(502).end());
  });
  return {
    url: own,
    stop: () => new Promise((closed) => void server.close(() => closed())),
  };
}
