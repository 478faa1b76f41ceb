-- CreateTable
CREATE TABLE "public_hosts" (
    "shop" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "proof" TEXT,
    "proven_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "public_hosts_pkey" PRIMARY KEY ("shop","host")
);

-- CreateIndex
CREATE UNIQUE INDEX "public_hosts_host_key" ON "public_hosts"("host");

ALTER TABLE "public_hosts" ADD CONSTRAINT "public_hosts_proof_check" CHECK (("proof" IS NULL) = ("proven_at" IS NULL) AND "proof" IN ('operator', 'dns', 'sandbox'));

-- What stores listed before: one spelling, one store each, and none of them proven. Each counts again once an operator saves
-- it or its DNS record is found.
INSERT INTO "public_hosts" ("shop", "host")
SELECT DISTINCT ON (host) shop, host FROM (
  SELECT kv.shop, rtrim(regexp_replace(lower(listed.host), ':[0-9]+$', ''), '.') AS host
  FROM kv, jsonb_array_elements_text(CASE jsonb_typeof(kv.value->'public_hosts') WHEN 'array' THEN kv.value->'public_hosts' ELSE '[]' END) AS listed(host)
  WHERE kv.key = 'tenant:' || kv.shop
) AS spelled WHERE host <> '' ORDER BY host, shop;

-- The host of a request is now looked up in that table.
DROP INDEX "kv_tenant_hosts_idx";
