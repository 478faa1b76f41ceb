// A store's ERP: accepts documents, records their events by idempotency key, and answers as the
// test says.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Answering = (response: ServerResponse, eventId: string, request: IncomingMessage) => void;

export type ErpReceiver = {
  url: string;
  /** The event of every received document, in order. */
  received: string[];
  /** Documents received beyond the first of each event. */
  twice(): number;
  /** It accepts everything by default. */
  answer(with_: Answering): void;
  /** Ends every call in progress. */
  hangUp(): void;
  stop(): Promise<void>;
};

/** The other required ERP settings of a store. */
export const ERP_FIELDS = {
  erp_username: "crm",
  erp_password: "erp-secret-0123456789",
  erp_defaults: { bukrs: "1000", vkorg: "1010", vtweg: "10" },
};

export const takeDocument = (response: ServerResponse): void =>
  void response.writeHead(201, { "Content-Type": "application/json" }).end("{}");

export async function startErpReceiver(): Promise<ErpReceiver> {
  const received: string[] = [];
  let act: Answering = takeDocument;
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    response.on("error", () => {});
    request.resume().once("end", () => {
      const [eventId = ""] = String(request.headers["idempotency-key"]).split(":");
      received.push(eventId);
      act(response, eventId, request);
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    twice: () => received.length - new Set(received).size,
    answer: (with_) => void (act = with_),
    hangUp: () => server.closeAllConnections(),
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
