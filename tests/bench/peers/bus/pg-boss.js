// pg-boss: one job per event in its own tables, with default settings.
import { PgBoss } from "pg-boss";
import { listen } from "./post-to-add.js";

const boss = new PgBoss({ connectionString: process.env.DATABASE_URL, max: 8 });
boss.on("error", (error) => process.stderr.write(`${error}\n`));
await boss.start();
await boss.createQueue("events");
listen((event) => boss.send("events", event));
