-- By hand, as Prisma cannot say it. The service updates a customer's tags in the transaction that changes what they follow from, and
-- writes "updated_at" with it. A program that writes these columns alone, as a correction or an import does, leaves the tags as they
-- were: the scheduled run looks at that customer. The trigger costs the service's own writes one comparison and nothing else.
CREATE TRIGGER "storefront_users_tags_due_by_hand"
  BEFORE UPDATE OF "number_of_orders", "amount_spent", "email_subscription_status", "sms_subscription_status" ON "storefront_users"
  FOR EACH ROW WHEN (NEW.status <> 'deleted' AND NEW.updated_at = OLD.updated_at
    AND (NEW.number_of_orders, NEW.amount_spent, NEW.email_subscription_status, NEW.sms_subscription_status)
      IS DISTINCT FROM (OLD.number_of_orders, OLD.amount_spent, OLD.email_subscription_status, OLD.sms_subscription_status))
  EXECUTE FUNCTION "set_tags_due"();
