#!/bin/bash
# A copy of the primary at the first start; then it follows by the slot `standby`.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  rm -rf "$PGDATA"
  pg_basebackup -h primary -U replicator -D "$PGDATA" -X stream -R -S standby
fi
exec postgres -c hot_standby_feedback=on -c max_connections=200
