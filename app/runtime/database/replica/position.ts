// Where a server stands in the write-ahead log. An ordinary role may ask for all of it.
import type pg from "pg";

export type Position = {
  /** The cluster's identifier: a standby has its primary's. */
  system: string;
  database: string;
  /** Counts promotions: the same position of another timeline is another history. */
  timeline: number;
  /** Bytes since the begin of the log. */
  written: bigint;
};

export type ReplicaState = { isStandby: boolean; position: Position };

type Row = { system: string; database: string; timeline: number; written: string };

// What is flushed, because nothing else is sent to a standby; an acknowledged commit always is (synchronous_commit).
const PRIMARY = `
  SELECT (SELECT system_identifier FROM pg_control_system())::text AS system, current_database()::text AS database,
    ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int AS timeline,
    pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::text AS written`;

// The control file names a new timeline with the next restart point, minutes after a promotion: until then the
// standby counts as one of the former primary, which it may be.
const REPLICA = `
  SELECT (SELECT system_identifier FROM pg_control_system())::text AS system, current_database()::text AS database,
    (SELECT min_recovery_end_timeline FROM pg_control_recovery()) AS timeline,
    coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::text AS written,
    pg_is_in_recovery() AS is_standby`;

const toPosition = ({ system, database, timeline, written }: Row): Position => ({
  system,
  database,
  timeline,
  written: BigInt(written),
});

export async function readPrimaryPosition(primary: pg.Pool): Promise<Position> {
  const { rows } = await primary.query<Row>(PRIMARY);
  return toPosition(rows[0] as Row);
}

export async function readReplicaState(client: pg.ClientBase): Promise<ReplicaState> {
  const { rows } = await client.query<Row & { is_standby: boolean }>(REPLICA);
  const row = rows[0] as Row & { is_standby: boolean };
  return { isStandby: row.is_standby, position: toPosition(row) };
}

/** Whether everything until `wanted` has been replayed at `known`. */
export const hasReplayed = (known: Position | null, wanted: Position): boolean =>
  known !== null &&
  known.system === wanted.system &&
  known.database === wanted.database &&
  known.timeline === wanted.timeline &&
  known.written >= wanted.written;
