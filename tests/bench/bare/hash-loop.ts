// The upper bound of every sign-in: only PBKDF2, with the same concurrency as the sign-ins it is
// compared with.
import { pbkdf2 } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const ITERATIONS = 100_000;
const salt = Buffer.alloc(16, 7);
const hash = () =>
  new Promise<void>((done, reject) =>
    pbkdf2("correct horse battery", salt, ITERATIONS, 32, "sha256", (error) =>
      error ? reject(error) : done(),
    ),
  );

/** Hashes per second. */
async function loop(seconds: number, atOnce: number): Promise<number> {
  const started = performance.now();
  let count = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (performance.now() - started < seconds * 1_000) {
        await hash();
        count += 1;
      }
    }),
  );
  return (count * 1_000) / (performance.now() - started);
}

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? "/", "http://here");
  void loop(Number(searchParams.get("seconds")), Number(searchParams.get("at_once"))).then((rate) =>
    response.end(String(rate)),
  );
});
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
