/**
 * Every Admin GraphQL document this service sends (Shopify Admin API, 2026-04 and 2026-07).
 * Shop and customer values travel as variables, never inside the text.
 */

const WEBHOOK_SUBSCRIPTION_FIELDS = "id topic uri apiVersion { handle }";

export const WEBHOOK_SUBSCRIPTIONS = `query WebhookSubscriptions($first: Int!, $after: String) {
  webhookSubscriptions(first: $first, after: $after) {
    nodes { ${WEBHOOK_SUBSCRIPTION_FIELDS} }
    pageInfo { hasNextPage endCursor }
  }
}`;

export const WEBHOOK_SUBSCRIPTION_CREATE = `mutation WebhookSubscriptionCreate($topic: WebhookSubscriptionTopic!, $webhookSubscription: WebhookSubscriptionInput!) {
  webhookSubscriptionCreate(topic: $topic, webhookSubscription: $webhookSubscription) {
    webhookSubscription { ${WEBHOOK_SUBSCRIPTION_FIELDS} }
    userErrors { field message }
  }
}`;

export const WEBHOOK_SUBSCRIPTION_UPDATE = `mutation WebhookSubscriptionUpdate($id: ID!, $webhookSubscription: WebhookSubscriptionInput!) {
  webhookSubscriptionUpdate(id: $id, webhookSubscription: $webhookSubscription) {
    webhookSubscription { ${WEBHOOK_SUBSCRIPTION_FIELDS} }
    userErrors { field message }
  }
}`;

// defaultPhoneNumber.marketingState is deprecated everywhere, but what replaces it
// (smsMarketingConsent on the phone number) exists only from 2026-10.
export const CUSTOMER = `query Customer($id: ID!) {
  customer(id: $id) {
    id
    createdAt
    updatedAt
    firstName
    lastName
    displayName
    locale
    state
    tags
    verifiedEmail
    numberOfOrders
    amountSpent { amount currencyCode }
    defaultEmailAddress { emailAddress marketingState marketingUpdatedAt }
    defaultPhoneNumber { phoneNumber marketingState marketingUpdatedAt }
    defaultAddress { countryCodeV2 }
  }
}`;

export const SHOP = `query Shop {
  shop { id name email myshopifyDomain currencyCode }
}`;

export const APP_INSTALLATION = `query AppInstallation {
  currentAppInstallation { accessScopes { handle } }
}`;

export const STOREFRONT_DOCUMENTS: Record<string, string> = {
  WEBHOOK_SUBSCRIPTIONS,
  WEBHOOK_SUBSCRIPTION_CREATE,
  WEBHOOK_SUBSCRIPTION_UPDATE,
  CUSTOMER,
  SHOP,
  APP_INSTALLATION,
};
