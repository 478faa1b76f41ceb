// Which promotions this process knows of. Each begins a higher timeline of the cluster: a server of a lower one that
// accepts writes is a former primary, and what is written there is lost.
//
// Kept in memory only: a row in the database would say nothing more, because a former primary does not have the rows
// of the promoted one. A restart forgets, which is also the way back to an older state that was restored on purpose.
import type { Host } from "./address.ts";

export type Timeline = {
  /** The cluster's identifier, which a standby has from its primary. */
  system: string;
  number: number;
};

export type Promotions = {
  /**
   * Remembers the timeline of a server that accepts writes, and ends the connections to older ones. False: it is
   * itself an older one.
   */
  note(timeline: Timeline): boolean;
  /** A newer one of its cluster is known. */
  isFormer(timeline: Timeline): boolean;
  /** This process has worked with its cluster, and knows no newer one. */
  isCurrent(timeline: Timeline): boolean;
  /** Calls `end` once a newer one is known. Returns how to stop that. */
  endWhenFormer(timeline: Timeline, end: () => void): () => void;
};

/** The promotions by list of servers: clusters that were copied from each other have one identifier. */
const known = new Map<string, Promotions>();

export function promotionsOf(hosts: readonly Host[]): Promotions {
  const key = keyOf(hosts);
  const promotions = known.get(key) ?? createPromotions();
  known.set(key, promotions);
  return promotions;
}

export const keyOf = (hosts: readonly Host[]): string =>
  hosts
    .map(({ host, port }) => `${host}:${port}`)
    .sort()
    .join();

function createPromotions(): Promotions {
  const newest = new Map<string, number>();
  const connections = new Set<{ timeline: Timeline; end(): void }>();
  const isFormer = ({ system, number }: Timeline) => number < (newest.get(system) ?? 0);
  return {
    note(timeline) {
      if (isFormer(timeline)) return false;
      if (newest.get(timeline.system) === timeline.number) return true;
      newest.set(timeline.system, timeline.number);
      for (const connection of connections) if (isFormer(connection.timeline)) connection.end();
      return true;
    },
    isFormer,
    isCurrent: (timeline) => newest.has(timeline.system) && !isFormer(timeline),
    endWhenFormer(timeline, end) {
      const connection = { timeline, end };
      connections.add(connection);
      return () => connections.delete(connection);
    },
  };
}

/** Columns `system` and `timeline`; null at a standby. */
export const TIMELINE_COLUMNS = `
  CASE WHEN NOT pg_is_in_recovery() THEN (SELECT system_identifier FROM pg_control_system())::text END AS system,
  CASE WHEN NOT pg_is_in_recovery() THEN left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline`;

export type TimelineRow = { system: string | null; timeline: string | null };

export const toTimeline = ({ system, timeline }: TimelineRow): Timeline | null =>
  system === null || timeline === null ? null : { system, number: parseInt(timeline, 16) };
