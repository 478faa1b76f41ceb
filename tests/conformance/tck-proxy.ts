// Stands between the A2A kit and the service. The kit sends sentences whose `messageId` says what the
// agent shall do; our agent takes data parts. The proxy puts such a part into the message and changes
// nothing else, so that the answers are the service's own.
import { createServer, type Server } from "node:http";
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

export type TckProxy = { url: string; stop(): Promise<void> };

/** `shop` and, as the kit fetches the card without it, the protocol version are added. */
export async function startTckProxy(service: string, shop: string): Promise<TckProxy> {
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    let body: string | undefined = Buffer.concat(chunks).toString();
    const { host: _, connection: _c, "content-length": _l, ...headers } = request.headers;
    const url = new URL(request.url ?? "/", service);
    url.searchParams.set("shop", shop);
    if (url.pathname === CARD) headers["a2a-version"] ??= "1.0";
    try {
      const call = JSON.parse(body) as { params?: { message?: Message } };
      if (call.params?.message) call.params.message = translate(call.params.message);
      body = JSON.stringify(call);
    } catch {
      // A message that is no JSON is part of the kit's checks.
    }
    const answer = await fetch(url, {
      method: request.method ?? "GET",
      headers: headers as Record<string, string>,
      ...(request.method === "POST" && { body }),
    });
    const text = (await answer.text()).replaceAll(service, self());
    const {
      "content-encoding": _e,
      "content-length": _n,
      ...kept
    } = Object.fromEntries(answer.headers);
    response.writeHead(answer.status, kept).end(text);
  });
  const self = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: self(),
    stop: () => new Promise((closed) => void server.close(() => closed())),
  };
}
