// What a worker does at every poll beside its deliveries: it returns the rows of dead workers, tells
// the merchant of dead letters, and archives what the archive missed.
import type { Ctx } from "../../context.server.ts";
import type { Database } from "../../runtime/database/database.ts";
import { isDatabaseAway } from "../../runtime/database/postgres-errors.ts";
import { findChannel } from "./channel.ts";
import { listPendingChannels } from "./claims/claim.ts";
import { reclaimLostLeases } from "./claims/leases.ts";
import { announceDeadLetters } from "./dead-letters/announce-dead-letters.ts";
import { archiveDeadLetters } from "./dead-letters/archive-dead-letters.ts";
import { archiveMissedMessages } from "./missed-messages.ts";

export type Upkeep = {
  /** Begins what is not still running. */
  begin(): void;
  /** When its mails and copies have ended. */
  ended(): Promise<unknown>;
};

export function createUpkeep(
  ctx: Ctx,
  database: Database,
  claimMore: (channel: string) => void,
): Upkeep {
  let announcing: Promise<unknown> | null = null;
  let archiving: Promise<unknown> | null = null;

  const logUnlessAway = (event: string) => (error: unknown) => {
    if (!isDatabaseAway(error)) ctx.log.error(event, error);
  };

  async function returnLostRows(): Promise<void> {
    const { channels, returned, dead } = await reclaimLostLeases(database);
    if (returned + dead > 0)
      ctx.log.warn("leases.reclaimed", { region: database.region, returned, dead });
    channels.forEach(claimMore);
    // Rows of unknown destinations are archived, so they are claimed too.
    const pending = await listPendingChannels(database);
    pending.filter((name) => !findChannel(ctx, name)).forEach(claimMore);
  }

  const archiveMissed = () =>
    Promise.all([archiveDeadLetters(ctx, database), archiveMissedMessages(ctx, database)]);

  return {
    begin() {
      void returnLostRows().catch(logUnlessAway("leases.not_reclaimed"));
      // The alerts do not wait for the archive, which may take long to fail.
      announcing ??= announceDeadLetters(ctx, database)
        .catch(logUnlessAway("dead_letters.not_announced"))
        .finally(() => (announcing = null));
      archiving ??= archiveMissed()
        .catch(logUnlessAway("archive.failed"))
        .finally(() => (archiving = null));
    },
    ended: () => Promise.all([announcing, archiving]),
  };
}
