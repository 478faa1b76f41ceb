ALTER TABLE "user_extras" ADD COLUMN "is_contact" BOOLEAN NOT NULL DEFAULT false;

-- By hand, as Prisma cannot say it. Contacts of before: nobody can sign in to such an account, and the store has no customer of it.
INSERT INTO "user_extras" ("shop", "user_id", "is_contact")
SELECT "shop", "id", true FROM "storefront_users"
WHERE "provider" = 'email' AND "status" = 'active' AND "email" IS NOT NULL AND NOT "email_verified" AND "password_hash" = ''
  AND "federated_sub" IS NULL AND "storefront_customer_gid" IS NULL AND "last_login_at" IS NULL
ON CONFLICT ("shop", "user_id") DO UPDATE SET "is_contact" = true;
