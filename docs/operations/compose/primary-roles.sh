#!/bin/bash
# Runs once, when the primary's folder is empty: the service's role, which owns nothing, and what the standby needs.
set -eu
psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -d "$POSTGRES_DB" \
  -v service_password="$SERVICE_DB_PASSWORD" -v replication_password="$REPLICATION_PASSWORD" <<'SQL'
CREATE ROLE customer_identity LOGIN PASSWORD :'service_password';
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'replication_password';
SELECT pg_create_physical_replication_slot('standby', true);
SQL
echo "host replication replicator all scram-sha-256" >> "$PGDATA/pg_hba.conf"
