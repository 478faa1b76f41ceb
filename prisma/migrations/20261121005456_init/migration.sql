-- CreateTable
CREATE TABLE "storefront_users" (
    "shop" TEXT NOT NULL,
    "id" SERIAL NOT NULL,
    "email" TEXT,
    "password_hash" TEXT NOT NULL DEFAULT '',
    "full_name" TEXT,
    "first_name" TEXT,
    "last_name" TEXT,
    "avatar_url" TEXT,
    "provider" TEXT NOT NULL DEFAULT 'email',
    "federated_sub" TEXT,
    "storefront_customer_gid" TEXT,
    "status" TEXT NOT NULL DEFAULT 'active',
    "language_pref" TEXT,
    "tags" JSONB NOT NULL DEFAULT '[]',
    "number_of_orders" INTEGER NOT NULL DEFAULT 0,
    "amount_spent" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "email_subscription_status" TEXT,
    "sms_subscription_status" TEXT,
    "country" TEXT,
    "last_login_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "email_verified" BOOLEAN NOT NULL DEFAULT false,
    "sessions_valid_after" TIMESTAMPTZ(3),
    "storefront_updated_at" TIMESTAMPTZ(3),
    "cms_item_id" TEXT,
    "cms_hash" TEXT,
    "phone_hash" TEXT,

    CONSTRAINT "storefront_users_pkey" PRIMARY KEY ("shop","id")
);

-- CreateTable
CREATE TABLE "user_claims" (
    "shop" TEXT NOT NULL,
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "consent_tos" BOOLEAN NOT NULL DEFAULT false,
    "consent_privacy" BOOLEAN NOT NULL DEFAULT false,
    "consent_cookie" BOOLEAN NOT NULL DEFAULT false,
    "consent_marketing" BOOLEAN NOT NULL DEFAULT false,
    "consent_a2a" BOOLEAN NOT NULL DEFAULT false,
    "consent_ap2" BOOLEAN NOT NULL DEFAULT false,
    "consent_version" TEXT,
    "oidc_provider" TEXT,
    "storefront_oidc_sub" TEXT,
    "federated_sub" TEXT,
    "storefront_customer_access_token" TEXT,
    "segment_id" TEXT,
    "language" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_claims_pkey" PRIMARY KEY ("shop","id")
);

-- CreateTable
CREATE TABLE "user_extras" (
    "shop" TEXT NOT NULL,
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_extras_pkey" PRIMARY KEY ("shop","id")
);

-- CreateTable
CREATE TABLE "identity_links" (
    "shop" TEXT NOT NULL,
    "issuer" TEXT NOT NULL,
    "sub" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "provider" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "identity_links_pkey" PRIMARY KEY ("shop","issuer","sub")
);

-- CreateTable
CREATE TABLE "customer_tombstones" (
    "shop" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "subject_hmac" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "customer_tombstones_pkey" PRIMARY KEY ("shop","kind","subject_hmac")
);

-- CreateTable
CREATE TABLE "consent_records" (
    "shop" TEXT NOT NULL,
    "id" SERIAL NOT NULL,
    "user_id" INTEGER,
    "visitor_id" TEXT,
    "consent_type" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "consent_version" TEXT,
    "consent_id" TEXT NOT NULL,
    "user_agent" TEXT,
    "ga_session_id" TEXT,
    "timestamp" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "form_type" TEXT,
    "source_page" TEXT,
    "policy_hash" TEXT,
    "gpc" BOOLEAN NOT NULL DEFAULT false,
    "seq" BIGINT NOT NULL,
    "prev_hash" TEXT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "consent_records_pkey" PRIMARY KEY ("shop","id")
);

-- CreateTable
CREATE TABLE "consent_chain_heads" (
    "shop" TEXT NOT NULL,
    "seq" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "consent_chain_heads_pkey" PRIMARY KEY ("shop")
);

-- CreateTable
CREATE TABLE "consent_policies" (
    "shop" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "locale" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "effective_from" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "consent_policies_pkey" PRIMARY KEY ("shop","version","locale")
);

-- CreateTable
CREATE TABLE "crm_tags" (
    "shop" TEXT NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "category" TEXT NOT NULL DEFAULT 'campaign',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "cms_item_id" TEXT,

    CONSTRAINT "crm_tags_pkey" PRIMARY KEY ("shop","id")
);

-- CreateTable
CREATE TABLE "user_tag_map" (
    "shop" TEXT NOT NULL,
    "id" SERIAL NOT NULL,
    "user_id" INTEGER NOT NULL,
    "tag_id" INTEGER NOT NULL,
    "assigned_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "source" TEXT NOT NULL,

    CONSTRAINT "user_tag_map_pkey" PRIMARY KEY ("shop","id")
);

-- CreateTable
CREATE TABLE "integration_queue" (
    "shop" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "event_id" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "event_type" TEXT NOT NULL,
    "entity_type" TEXT NOT NULL,
    "entity_id" TEXT NOT NULL,
    "payload" JSONB NOT NULL DEFAULT '{}',
    "transformed_payload" JSONB,
    "delivery_config" JSONB,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "priority" SMALLINT NOT NULL DEFAULT 3,
    "retry_count" INTEGER NOT NULL DEFAULT 0,
    "max_retries" INTEGER NOT NULL,
    "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "locked_by" TEXT,
    "locked_until" TIMESTAMPTZ(6),
    "attempt_token" UUID,
    "lease_lost" SMALLINT NOT NULL DEFAULT 0,
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "delivered_at" TIMESTAMPTZ(6),
    "dead_lettered_at" TIMESTAMPTZ(6),
    "sweep_count" SMALLINT NOT NULL DEFAULT 0,

    CONSTRAINT "integration_queue_pkey" PRIMARY KEY ("shop","id")
);

-- CreateTable
CREATE TABLE "event_ledger" (
    "shop" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "event_id" TEXT NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "event_type" TEXT NOT NULL,
    "entity_type" TEXT NOT NULL,
    "entity_id" TEXT NOT NULL,
    "destinations" JSONB NOT NULL,
    "priority" SMALLINT NOT NULL,
    "payload_sha256" TEXT NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "event_ledger_pkey" PRIMARY KEY ("shop","id")
);

-- CreateTable
CREATE TABLE "delivery_attempts" (
    "shop" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "queue_id" BIGINT NOT NULL,
    "event_id" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "http_status" INTEGER,
    "latency_ms" INTEGER NOT NULL,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "delivery_attempts_pkey" PRIMARY KEY ("shop","id")
);

-- CreateTable
CREATE TABLE "webhook_inbox" (
    "shop" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "delivery_id" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "triggered_at" TIMESTAMPTZ(3),
    "received_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "locked_until" TIMESTAMPTZ(6),
    "attempt_token" UUID,
    "last_error" TEXT,
    "processed_at" TIMESTAMPTZ(6),

    CONSTRAINT "webhook_inbox_pkey" PRIMARY KEY ("shop","id")
);

-- CreateTable
CREATE TABLE "integration_mappings" (
    "shop" TEXT NOT NULL,
    "channel" TEXT NOT NULL,
    "entity_type" TEXT NOT NULL,
    "mapping" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "integration_mappings_pkey" PRIMARY KEY ("shop","channel","entity_type")
);

-- CreateTable
CREATE TABLE "product_upc_mapping" (
    "shop" TEXT NOT NULL,
    "sku" TEXT NOT NULL,
    "upc" TEXT NOT NULL,

    CONSTRAINT "product_upc_mapping_pkey" PRIMARY KEY ("shop","sku")
);

-- CreateTable
CREATE TABLE "firmware_registry" (
    "shop" TEXT NOT NULL,
    "mpn" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "firmware_registry_pkey" PRIMARY KEY ("shop","mpn")
);

-- CreateTable
CREATE TABLE "firmware_ledger" (
    "shop" TEXT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "serial" TEXT NOT NULL,
    "mpn" TEXT NOT NULL,
    "firmware_version" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "firmware_ledger_pkey" PRIMARY KEY ("shop","id")
);

-- CreateTable
CREATE TABLE "return_cases" (
    "shop" TEXT NOT NULL,
    "rma" TEXT NOT NULL,
    "order_id" TEXT,
    "user_id" INTEGER,
    "status" TEXT NOT NULL,
    "units" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "return_cases_pkey" PRIMARY KEY ("shop","rma")
);

-- CreateTable
CREATE TABLE "mandates" (
    "shop" TEXT NOT NULL,
    "mandate_id" UUID NOT NULL,
    "customer_id" INTEGER NOT NULL,
    "type" TEXT NOT NULL DEFAULT 'purchase',
    "max_amount" DECIMAL(14,2) NOT NULL,
    "spent_amount" DECIMAL(14,2) NOT NULL DEFAULT 0,
    "reserved_amount" DECIMAL(14,2) NOT NULL DEFAULT 0,
    "currency" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "usage" TEXT NOT NULL DEFAULT 'single',
    "status" TEXT NOT NULL DEFAULT 'active',
    "signature" TEXT NOT NULL,
    "proof" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mandates_pkey" PRIMARY KEY ("shop","mandate_id")
);

-- CreateTable
CREATE TABLE "checkout_sessions" (
    "shop" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "customer_id" INTEGER NOT NULL,
    "status" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "checkout_url" TEXT,
    "external_id" TEXT,
    "line_items" JSONB NOT NULL,
    "subtotal" DECIMAL(14,2) NOT NULL,
    "total" DECIMAL(14,2) NOT NULL,
    "currency" TEXT NOT NULL,
    "mandate_id" UUID,
    "reserved_amount" DECIMAL(14,2) NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "checkout_sessions_pkey" PRIMARY KEY ("shop","id")
);

-- CreateTable
CREATE TABLE "privacy_requests" (
    "shop" TEXT NOT NULL,
    "id" SERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "external_id" TEXT,
    "subject_hmac" TEXT,
    "payload" JSONB NOT NULL DEFAULT '{}',
    "state" TEXT NOT NULL DEFAULT 'received',
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "due_by" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "evidence" JSONB,

    CONSTRAINT "privacy_requests_pkey" PRIMARY KEY ("shop","id")
);

-- CreateTable
CREATE TABLE "kv" (
    "shop" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "version" BIGINT NOT NULL DEFAULT 1,
    "expires_at" TIMESTAMPTZ(6),
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "kv_pkey" PRIMARY KEY ("shop","key")
);

-- CreateIndex
CREATE INDEX "storefront_users_shop_updated_at_id_idx" ON "storefront_users"("shop", "updated_at", "id");

-- CreateIndex
CREATE INDEX "storefront_users_shop_phone_hash_idx" ON "storefront_users"("shop", "phone_hash");

-- CreateIndex
CREATE UNIQUE INDEX "storefront_users_shop_storefront_customer_gid_key" ON "storefront_users"("shop", "storefront_customer_gid");

-- CreateIndex
CREATE UNIQUE INDEX "user_claims_shop_user_id_key" ON "user_claims"("shop", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "user_extras_shop_user_id_key" ON "user_extras"("shop", "user_id");

-- CreateIndex
CREATE INDEX "identity_links_shop_user_id_idx" ON "identity_links"("shop", "user_id");

-- CreateIndex
CREATE INDEX "consent_records_shop_user_id_id_idx" ON "consent_records"("shop", "user_id", "id" DESC);

-- CreateIndex
CREATE INDEX "consent_records_shop_visitor_id_id_idx" ON "consent_records"("shop", "visitor_id", "id" DESC);

-- CreateIndex
CREATE INDEX "consent_records_shop_consent_id_idx" ON "consent_records"("shop", "consent_id");

-- CreateIndex
CREATE UNIQUE INDEX "consent_records_shop_seq_key" ON "consent_records"("shop", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "crm_tags_shop_slug_key" ON "crm_tags"("shop", "slug");

-- CreateIndex
CREATE INDEX "user_tag_map_shop_tag_id_idx" ON "user_tag_map"("shop", "tag_id");

-- CreateIndex
CREATE UNIQUE INDEX "user_tag_map_shop_user_id_tag_id_key" ON "user_tag_map"("shop", "user_id", "tag_id");

-- CreateIndex
CREATE INDEX "integration_queue_shop_entity_type_entity_id_idx" ON "integration_queue"("shop", "entity_type", "entity_id");

-- CreateIndex
CREATE UNIQUE INDEX "integration_queue_shop_event_id_channel_key" ON "integration_queue"("shop", "event_id", "channel");

-- CreateIndex
CREATE UNIQUE INDEX "event_ledger_shop_event_id_key" ON "event_ledger"("shop", "event_id");

-- CreateIndex
CREATE INDEX "delivery_attempts_shop_channel_id_idx" ON "delivery_attempts"("shop", "channel", "id" DESC);

-- CreateIndex
CREATE INDEX "delivery_attempts_shop_event_id_idx" ON "delivery_attempts"("shop", "event_id");

-- CreateIndex
CREATE INDEX "delivery_attempts_shop_created_at_idx" ON "delivery_attempts"("shop", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_inbox_shop_delivery_id_key" ON "webhook_inbox"("shop", "delivery_id");

-- CreateIndex
CREATE INDEX "firmware_ledger_shop_serial_idx" ON "firmware_ledger"("shop", "serial");

-- CreateIndex
CREATE UNIQUE INDEX "firmware_ledger_shop_event_id_key" ON "firmware_ledger"("shop", "event_id");

-- CreateIndex
CREATE INDEX "return_cases_shop_user_id_idx" ON "return_cases"("shop", "user_id");

-- CreateIndex
CREATE INDEX "mandates_shop_customer_id_created_at_idx" ON "mandates"("shop", "customer_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "checkout_sessions_shop_customer_id_created_at_idx" ON "checkout_sessions"("shop", "customer_id", "created_at" DESC);

-- CreateIndex
CREATE INDEX "checkout_sessions_shop_external_id_idx" ON "checkout_sessions"("shop", "external_id");

-- CreateIndex
CREATE INDEX "privacy_requests_shop_state_due_by_idx" ON "privacy_requests"("shop", "state", "due_by");

-- AddForeignKey
ALTER TABLE "user_claims" ADD CONSTRAINT "user_claims_shop_user_id_fkey" FOREIGN KEY ("shop", "user_id") REFERENCES "storefront_users"("shop", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_extras" ADD CONSTRAINT "user_extras_shop_user_id_fkey" FOREIGN KEY ("shop", "user_id") REFERENCES "storefront_users"("shop", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "identity_links" ADD CONSTRAINT "identity_links_shop_user_id_fkey" FOREIGN KEY ("shop", "user_id") REFERENCES "storefront_users"("shop", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_tag_map" ADD CONSTRAINT "user_tag_map_shop_user_id_fkey" FOREIGN KEY ("shop", "user_id") REFERENCES "storefront_users"("shop", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_tag_map" ADD CONSTRAINT "user_tag_map_shop_tag_id_fkey" FOREIGN KEY ("shop", "tag_id") REFERENCES "crm_tags"("shop", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say: partial and expression indexes, CHECKs, triggers.

-- One living account per address in a store, however it is spelled: who comes back after a deletion is somebody new.
CREATE UNIQUE INDEX "storefront_users_shop_email_key" ON "storefront_users" ("shop", lower("email")) WHERE "email" IS NOT NULL AND "status" <> 'deleted';
ALTER TABLE "storefront_users" ADD CONSTRAINT "storefront_users_provider_check" CHECK ("provider" IN ('email', 'federated', 'storefront'));
ALTER TABLE "storefront_users" ADD CONSTRAINT "storefront_users_status_check" CHECK ("status" IN ('active', 'deleted', 'suspended'));
ALTER TABLE "crm_tags" ADD CONSTRAINT "crm_tags_category_check" CHECK ("category" IN ('status', 'tier', 'segment', 'campaign', 'consent', 'marketing'));
ALTER TABLE "user_tag_map" ADD CONSTRAINT "user_tag_map_source_check" CHECK ("source" IN ('storefront', 'ucp', 'admin', 'system'));
ALTER TABLE "mandates" ADD CONSTRAINT "mandates_status_check" CHECK ("status" IN ('active', 'used', 'expired', 'revoked'));
ALTER TABLE "integration_queue" ADD CONSTRAINT "integration_queue_status_check" CHECK ("status" IN ('pending', 'processing', 'ready', 'delivered', 'dead_letter'));
ALTER TABLE "integration_queue" ADD CONSTRAINT "integration_queue_priority_check" CHECK ("priority" BETWEEN 1 AND 5);

-- The claim walks one channel's pending rows tenant by tenant, most urgent first. It leads with the channel, not the
-- shop, because one claim serves all tenants of a channel. Partial, so that delivered history costs it nothing.
CREATE INDEX "integration_queue_pending_idx" ON "integration_queue" ("channel", "shop", "priority", "next_attempt_at", "id") WHERE "status" = 'pending';
CREATE INDEX "integration_queue_lease_idx" ON "integration_queue" ("locked_until") WHERE "status" IN ('processing', 'ready');
CREATE INDEX "integration_queue_dead_idx" ON "integration_queue" ("shop", "dead_lettered_at") WHERE "status" = 'dead_letter';
CREATE INDEX "webhook_inbox_pending_idx" ON "webhook_inbox" ("next_attempt_at", "id") WHERE "status" = 'pending';
CREATE INDEX "webhook_inbox_lease_idx" ON "webhook_inbox" ("locked_until") WHERE "status" = 'processing';
CREATE INDEX "kv_expiry_idx" ON "kv" ("expires_at") WHERE "expires_at" IS NOT NULL;
CREATE INDEX "kv_tenants_idx" ON "kv" ("shop") WHERE "key" = 'tenant:' || "shop";
CREATE INDEX "kv_tenant_hosts_idx" ON "kv" USING gin (("value"->'public_hosts')) WHERE "key" = 'tenant:' || "shop";

-- Every claim and settlement changes `status`, which index predicates read: room on the page and an eager vacuum keep
-- the hot tables small.
ALTER TABLE "integration_queue" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE "webhook_inbox" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE "kv" SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

-- Append-only is the database's word, not ours.
CREATE FUNCTION "refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER "consent_records_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "consent_records" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();
CREATE TRIGGER "event_ledger_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "event_ledger" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change"();

-- Wakes the workers, once per statement: a NOTIFY per row takes a global lock at every commit and halves the ingest.
-- It also fires for rows that other programs insert.
CREATE FUNCTION "notify_integration_queue"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('integration_queue', string_agg(DISTINCT channel, ',')) FROM inserted WHERE status = 'pending' HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER "integration_queue_notify" AFTER INSERT ON "integration_queue" REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION "notify_integration_queue"();

CREATE FUNCTION "notify_webhook_inbox"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('webhook_inbox', '');
  RETURN NULL;
END $$;
CREATE TRIGGER "webhook_inbox_notify" AFTER INSERT ON "webhook_inbox" FOR EACH STATEMENT EXECUTE FUNCTION "notify_webhook_inbox"();
