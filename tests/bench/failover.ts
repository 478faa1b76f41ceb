// `npm run drill:failover`: 50 events and 20 consents a second, kill -9 of the primary, promotion of its
// synchronous standby; prints what became of everything that was acknowledged. Exits 1 when something was lost.
import { runDrill, type Count, type DrillResult } from "../support/failover/drill.ts";
import { startReplicatedPostgres } from "../support/failover/replicated-postgres.ts";

const print = (text: string) => process.stdout.write(`${text}\n`);
const MAX_FIRST_ACKNOWLEDGEMENT_MS = 1_000;

async function drill(): Promise<DrillResult> {
  const postgres = await startReplicatedPostgres();
  try {
    return await runDrill(postgres, {
      eventsPerSecond: 50,
      consentsPerSecond: 20,
      events: 500,
      refusals: 150,
    });
  } finally {
    await postgres.stop();
  }
}

const result = await drill();
const describe = (name: string, count: Count) =>
  print(
    `${name}: acknowledged ${count.acknowledged}, lost ${count.lost}, stored ${count.stored} (${count.unacknowledged} of them without an answer to the caller), stored twice ${count.repeated}; answers ${JSON.stringify(count.statuses)}`,
  );
print("Synchronous replication: a commit is answered when the standby has it.");
describe("events", result.events);
describe("consents", result.consents);
print(
  `delivered ${result.delivered} of ${result.events.stored}, with a used-up attempt ${result.undelivered}, received again with the same idempotency key ${result.receivedAgain}`,
);
print(`the consent log is one chain: ${result.isChainWhole ? "yes" : "no"}`);
print(
  `promotion ${Math.round(result.promotionMs)} ms; first 202 after it ${Math.round(result.firstAcknowledgementMs)} ms (goal ${MAX_FIRST_ACKNOWLEDGEMENT_MS})`,
);
const isKept =
  result.events.lost + result.consents.lost + result.events.repeated + result.consents.repeated ===
    0 &&
  result.isChainWhole &&
  result.delivered === result.events.stored;
process.exit(isKept && result.firstAcknowledgementMs <= MAX_FIRST_ACKNOWLEDGEMENT_MS ? 0 : 1);
