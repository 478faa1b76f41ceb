-- CreateTable
CREATE TABLE "oauth_clients" (
    "shop" TEXT NOT NULL,
    "client_id" TEXT NOT NULL,
    "client_name" TEXT NOT NULL,
    "redirect_uris" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "granted_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_clients_pkey" PRIMARY KEY ("shop","client_id")
);

-- CreateTable
CREATE TABLE "oauth_grants" (
    "shop" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "user_id" INTEGER NOT NULL,
    "client_id" TEXT NOT NULL,
    "client_name" TEXT NOT NULL,
    "scopes" TEXT[],
    "sessions_epoch" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),
    "end_reason" TEXT,

    CONSTRAINT "oauth_grants_pkey" PRIMARY KEY ("shop","id")
);

-- CreateTable
CREATE TABLE "oauth_tokens" (
    "shop" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "grant_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "scopes" TEXT[],
    "redirect_uri" TEXT,
    "code_challenge" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_tokens_pkey" PRIMARY KEY ("shop","token_hash")
);

-- CreateIndex
CREATE INDEX "oauth_clients_shop_created_at_idx" ON "oauth_clients"("shop", "created_at");

-- CreateIndex
CREATE INDEX "oauth_grants_shop_user_id_created_at_idx" ON "oauth_grants"("shop", "user_id", "created_at");

-- CreateIndex
CREATE INDEX "oauth_tokens_shop_grant_id_idx" ON "oauth_tokens"("shop", "grant_id");

-- By hand from here: what Prisma cannot say.

ALTER TABLE "oauth_tokens" ADD CONSTRAINT "oauth_tokens_kind_check" CHECK ("kind" IN ('code', 'access', 'refresh'));

-- What is older than any token lives is forgotten: old rows lie together.
CREATE INDEX "oauth_tokens_created_idx" ON "oauth_tokens" USING brin ("created_at");

-- A grant ends with what it rests on, in the same transaction, whoever wrote it: a consent that is given again later must
-- not bring an old grant back to life.
CREATE FUNCTION "end_grants_without_consent"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE oauth_grants SET ended_at = clock_timestamp(), end_reason = 'consent_withdrawn' WHERE shop = OLD.shop AND user_id = OLD.user_id AND ended_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER "user_claims_end_grants" AFTER UPDATE OF "consent_a2a" ON "user_claims" FOR EACH ROW WHEN (OLD.consent_a2a AND NOT NEW.consent_a2a) EXECUTE FUNCTION "end_grants_without_consent"();
CREATE TRIGGER "user_claims_gone_end_grants" AFTER DELETE ON "user_claims" FOR EACH ROW WHEN (OLD.consent_a2a) EXECUTE FUNCTION "end_grants_without_consent"();

CREATE FUNCTION "end_grants_with_sessions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE oauth_grants SET ended_at = clock_timestamp(), end_reason = 'sessions_ended' WHERE shop = NEW.shop AND user_id = NEW.id AND ended_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER "storefront_users_end_grants" AFTER UPDATE OF "sessions_valid_after", "status" ON "storefront_users" FOR EACH ROW
  WHEN (NEW.sessions_valid_after IS DISTINCT FROM OLD.sessions_valid_after OR (NEW.status <> 'active' AND OLD.status = 'active')) EXECUTE FUNCTION "end_grants_with_sessions"();
