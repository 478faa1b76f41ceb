-- The migration before took every address without a sign-in for one that was entered in a form. Two kinds are none: what another
-- program has written, as an import (the service writes the extras of a contact together with it, the migration did it later), and
-- those whose owner has confirmed a choice (only then a contact has consents of its own).
UPDATE "user_extras" e SET "is_contact" = false FROM "storefront_users" u
WHERE e."is_contact" AND u."shop" = e."shop" AND u."id" = e."user_id"
  AND (e."updated_at" > u."created_at" + interval '1 minute' OR EXISTS (
    SELECT 1 FROM "consent_records" r WHERE r."shop" = e."shop" AND r."user_id" = e."user_id"));
