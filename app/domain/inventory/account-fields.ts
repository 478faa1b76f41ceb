// What each field of a customer's account is for: the answer to the platform's question about
// protected customer data, field by field. Every column of `storefront_users` stands here once.

export type AccountField = {
  field: string;
  columns: readonly string[];
  purpose: string;
};

export const ACCOUNT_FIELDS: readonly AccountField[] = [
  {
    field: "name",
    columns: ["full_name", "first_name", "last_name", "avatar_url", "search_text"],
    purpose:
      "shows the customer in the customer's own account, in the store's admin and in the systems that the store connects; finds the customer in the store's admin; addresses messages",
  },
  {
    field: "email address",
    columns: ["email", "unproven_email", "email_verified"],
    purpose:
      "signs the customer in, links the account to the store's customer, receives confirmations and one-time links; partners receive a hash at most",
  },
  {
    field: "phone number",
    columns: ["phone_hash"],
    purpose:
      "finds the customer whom a redaction request or the merchant's search names by the whole phone number; kept as a keyed hash, never as a number. An ERP receives the number of an order's customer, from the order itself",
  },
  {
    field: "address",
    columns: ["country"],
    purpose:
      "the country alone is kept, for tags and filters. An ERP receives the address of an order's customer, from the order itself",
  },
  {
    field: "language",
    columns: ["language_pref"],
    purpose: "chooses the language of pages and messages",
  },
  {
    field: "orders",
    columns: ["number_of_orders", "amount_spent", "storefront_created_at", "last_active_at"],
    purpose: "derives the tags that the store's rules name, such as the tier",
  },
  {
    field: "marketing state",
    columns: ["email_subscription_status", "sms_subscription_status"],
    purpose: "keeps the store, the CMS and the tags true to the customer's decision",
  },
  {
    field: "tags",
    columns: ["tags"],
    purpose: "treats customers as the store and they have chosen",
  },
  {
    field: "sign-in",
    columns: [
      "password_hash",
      "provider",
      "federated_sub",
      "last_login_at",
      "sessions_valid_after",
    ],
    purpose: "proves who signs in, and ends all sessions at once",
  },
  {
    field: "ids",
    columns: ["id", "storefront_customer_gid", "cms_item_id", "merged_into"],
    purpose: "finds the same customer in the store and in the CMS",
  },
  {
    field: "state of the record",
    columns: [
      "status",
      "created_at",
      "updated_at",
      "storefront_updated_at",
      "storefront_tagged_at",
      "tags_due_at",
      "storefront_slugs",
      "storefront_hash",
      "storefront_name_hash",
      "cms_hash",
    ],
    purpose: "writes each change once and in order, and none that is older than the last",
  },
];
