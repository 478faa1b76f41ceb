// BullMQ on its own Postgres backend: one job per event, with default settings.
import { createPostgresBackend, Queue } from "bullmq";
import { listen } from "./post-to-add.js";

const queue = new Queue(
  "events",
  { connection: { connectionString: process.env.DATABASE_URL, max: 8, migrate: true } },
  createPostgresBackend,
);
queue.on("error", (error) => process.stderr.write(`${error}\n`));
await queue.waitUntilReady();
listen((event) => queue.add("event", event));
