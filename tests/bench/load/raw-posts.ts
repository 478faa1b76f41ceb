// The upper bound of a drain: one process that posts with undici and keep-alive. URL, SECONDS and
// AT_ONCE are environment variables; prints requests per second.
import { Agent, request } from "undici";

const { URL: url = "", SECONDS = "3", AT_ONCE = "50" } = process.env;
const dispatcher = new Agent({ keepAliveTimeout: 30_000 });
const body = JSON.stringify({
  bukrs: "1000",
  vkorg: "1010",
  vtweg: "10",
  ExternalDocumentID: "00000000-0000-0000-0000-000000000000",
  PurchaseOrderByCustomer: "#1",
  TotalNetAmount: "12.50",
});
let count = 0;
const post = async () => {
  const answer = await request(url, {
    method: "POST",
    dispatcher,
    headers: { "Content-Type": "application/json" },
    body,
  });
  await answer.body.text();
  count += 1;
};
const until = async (end: number) =>
  void (await Promise.all(
    Array.from({ length: Number(AT_ONCE) }, async () => {
      while (performance.now() < end) await post();
    }),
  ));
await until(performance.now() + 1_000);
count = 0;
const started = performance.now();
await until(started + Number(SECONDS) * 1_000);
process.stdout.write(`${count / ((performance.now() - started) / 1_000)} a second\n`);
process.exit(0);
