// A process that owns an embedded PostgreSQL, for tests that kill it: prints one line of JSON, then
// obeys stdin. argv: path of embedded-postgres.ts, options as JSON.
import type { startEmbeddedPostgres as start } from "../../../app/runtime/embedded-postgres/embedded-postgres.ts";

const [, , launcher, options] = process.argv as [string, string, string, string];
const { startEmbeddedPostgres } = (await import(launcher)) as {
  startEmbeddedPostgres: typeof start;
};
try {
  const server = await startEmbeddedPostgres(JSON.parse(options));
  console.log(JSON.stringify(server));
  process.stdin.on("data", (command) => {
    if (String(command).includes("stop")) void server.stop().then(() => process.exit(0));
    if (String(command).includes("exit")) process.exit(0);
    if (String(command).includes("crash"))
      queueMicrotask(() => {
        throw new Error("crash on purpose");
      });
  });
} catch (error) {
  console.log(JSON.stringify({ name: (error as Error).name, message: (error as Error).message }));
}
