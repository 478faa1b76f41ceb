// Clients that ask for a large response and take nothing of it, beside those that take it slowly.
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { openPort, type OpenPort } from "../../app/process/open-port.ts";

const STALLED_MS = 600;
/** More than the system holds for a connection. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, "a");
/** What a slow client takes at once. */
const PIECE = 2 * 1024 * 1024;
const sendLarge: RequestListener = (_request, response) => void response.end(LARGE);

let port: OpenPort;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  port.server.closeAllConnections();
  await new Promise((closed) => port.server.close(closed));
});

/** Sends a request; nothing is read of the response yet. */
async function ask(listener: RequestListener): Promise<{ client: Socket; served: Socket }> {
  port = await openPort({ PORT: 0, HOST: "127.0.0.1" }, STALLED_MS);
  port.serve(listener);
  const connected = once(port.server, "connection");
  const client = connect(port.port, "127.0.0.1");
  sockets.push(client);
  client.pause();
  client.write("GET / HTTP/1.1\r\nHost: service.example\r\n\r\n");
  const [served] = (await connected) as [Socket];
  return { client, served };
}

test("a client that takes nothing of a large response is disconnected", async () => {
  const { served } = await ask(sendLarge);
  await once(served, "close");
  expect(served.bytesWritten).toBeGreaterThan(0);
  expect(port.answering.all()).toEqual([]);
});

test("a client that takes a large response slowly gets all of it", async () => {
  const { client } = await ask(sendLarge);
  let received = 0;
  let atOnce = 0;
  client.on("data", (chunk) => {
    received += chunk.length;
    atOnce += chunk.length;
    if (atOnce < PIECE) return;
    atOnce = 0;
    client.pause();
    setTimeout(() => client.resume(), STALLED_MS / 6);
  });
  client.resume();
  const started = performance.now();
  await expect.poll(() => received).toBeGreaterThan(LARGE.length);
  expect(performance.now() - started).toBeGreaterThan(2 * STALLED_MS);
});

test("a client whose response is not ready stays connected", async () => {
  const { client } = await ask((_request, response) => {
    setTimeout(() => response.end("late"), 3 * STALLED_MS);
  });
  client.resume();
  const [answer] = (await once(client, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 [^]*late$/);
});

test("a client stays connected too while its second request on the connection is answered", async () => {
  const { client } = await ask((_request, response) => {
    setTimeout(() => response.end("late"), 2 * STALLED_MS);
  });
  client.resume();
  await once(client, "data");
  client.write("GET / HTTP/1.1\r\nHost: service.example\r\n\r\n");
  const [answer] = (await once(client, "data")) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 [^]*late$/);
});
