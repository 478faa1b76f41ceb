// better-auth as a server to compare with: e-mail and password, sessions in the same Postgres, its rate limit
// off like ours. HASH=pbkdf2 uses our hash; otherwise its default.
import { pbkdf2, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { betterAuth } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { toNodeHandler } from "better-auth/node";
import pg from "pg";

const derive = promisify(pbkdf2);
const ITERATIONS = 100_000;
const password = {
  async hash(text) {
    const salt = randomBytes(16);
    return `${salt.toString("base64")}$${(await derive(text, salt, ITERATIONS, 32, "sha256")).toString("base64")}`;
  },
  async verify({ hash, password: text }) {
    const [salt, stored] = hash.split("$").map((part) => Buffer.from(part, "base64"));
    return timingSafeEqual(await derive(text, salt, ITERATIONS, 32, "sha256"), stored);
  },
};

const server = createServer();
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const baseURL = `http://127.0.0.1:${server.address().port}`;
const options = {
  baseURL,
  secret: "bench-secret-0123456789-bench-secret-0123456789",
  database: new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 }),
  telemetry: { enabled: false },
  rateLimit: { enabled: false },
  logger: { disabled: true },
  emailAndPassword: { enabled: true, ...(process.env.HASH === "pbkdf2" && { password }) },
};
await (await getMigrations(options)).runMigrations();
const handle = toNodeHandler(betterAuth(options));
server.on("request", (request, response) => void handle(request, response));
process.stdout.write(`listening on ${baseURL}\n`);
