-- A mandate past its time reads as expired. What ends the others, such as a suspension or a withdrawn consent, must not
-- turn it into a revoked one.

CREATE OR REPLACE FUNCTION "revoke_mandates_without_consent"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE mandates SET status = 'revoked'
    WHERE shop = OLD.shop AND customer_id = OLD.user_id AND status = 'active' AND expires_at > clock_timestamp();
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION "revoke_mandates_with_sessions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE mandates SET status = 'revoked'
    WHERE shop = NEW.shop AND customer_id = NEW.id AND status = 'active' AND expires_at > clock_timestamp();
  RETURN NULL;
END $$;
