/**
 * Admin GraphQL documents (Shopify Admin API, 2026-04 and 2026-07); those of commerce are in
 * commerce-documents.ts. Shop and customer values are passed as variables, never in the
 * document's text.
 */
import { COMMERCE_DOCUMENTS } from "./commerce-documents.ts";

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

export const WEBHOOK_SUBSCRIPTION_DELETE = `mutation WebhookSubscriptionDelete($id: ID!) {
  webhookSubscriptionDelete(id: $id) {
    deletedWebhookSubscriptionId
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
    locale
    state
    tags
    verifiedEmail
    dataSaleOptOut
    numberOfOrders
    amountSpent { amount currencyCode }
    defaultEmailAddress { emailAddress marketingState marketingUpdatedAt }
    defaultPhoneNumber { phoneNumber marketingState marketingUpdatedAt }
    defaultAddress { countryCodeV2 }
  }
}`;

const SYNCED_CUSTOMER = `id
    createdAt
    updatedAt
    locale
    tags
    dataSaleOptOut
    numberOfOrders
    amountSpent { amount }`;
const PERSONAL_FIELDS = `firstName
    lastName
    defaultEmailAddress { emailAddress marketingState }
    defaultPhoneNumber { phoneNumber marketingState }
    defaultAddress { countryCodeV2 }`;

// Newest first: the changes since the last run come first, however many others the same day has.
export const CUSTOMERS_PAGE = `query CustomersPage($first: Int!, $after: String, $query: String) {
  customers(first: $first, after: $after, query: $query, sortKey: UPDATED_AT, reverse: true) {
    nodes {
    ${SYNCED_CUSTOMER}
    ${PERSONAL_FIELDS}
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Some customers with every field, to see which of them the platform withholds. */
export const CUSTOMERS_SAMPLE = `query CustomersSample($first: Int!) {
  customers(first: $first, sortKey: UPDATED_AT, reverse: true) { nodes { id ${PERSONAL_FIELDS} } }
}`;

/**
 * The query of a bulk operation, which accepts no variables. `day` is YYYY-MM-DD, or null for all
 * customers. An operation with a field that the platform withholds from the app fails as a whole:
 * `isPersonal` false leaves those out.
 */
export function bulkCustomers(day: string | null, isPersonal = true): string {
  const filter = day === null ? "" : `(query: "updated_at:>='${day}'")`;
  return `query BulkCustomers {
  customers${filter} { edges { node {
    ${SYNCED_CUSTOMER}
    ${isPersonal ? PERSONAL_FIELDS : ""}
  } } }
}`;
}

// Five at a time per store; the result is a JSON Lines file, kept for seven days.
export const BULK_OPERATION_RUN = `mutation BulkOperationRun($query: String!) {
  bulkOperationRunQuery(query: $query, groupObjects: false) {
    bulkOperation { id status }
    userErrors { field message code }
  }
}`;

export const BULK_OPERATION = `query BulkOperation($id: ID!) {
  bulkOperation(id: $id) { id status errorCode objectCount url }
}`;

export const CUSTOMER_BY_EMAIL = `query CustomerByEmail($email: String!) {
  customerByIdentifier(identifier: { emailAddress: $email }) { id tags updatedAt }
}`;

/** A segment of the store admin; its members are not fields of it. */
export const CUSTOMER_SEGMENT = `query CustomerSegment($id: ID!) {
  segment(id: $id) { id name }
}`;

// A member's id is of a type of its own, with the customer's number.
export const SEGMENT_MEMBERS = `query SegmentMembers($segmentId: ID!, $first: Int!, $after: String) {
  customerSegmentMembers(segmentId: $segmentId, first: $first, after: $after) {
    totalCount
    edges { node { id } }
    pageInfo { hasNextPage endCursor }
  }
}`;

export const CUSTOMER_CREATE = `mutation CustomerCreate($input: CustomerInput!) {
  customerCreate(input: $input) {
    customer { id }
    userErrors { field message }
  }
}`;

const TAGS_PAYLOAD = "node { id ... on Customer { tags updatedAt } } userErrors { field message }";
const METAFIELDS_PAYLOAD =
  "metafields { namespace key type value compareDigest updatedAt } userErrors { field message code elementIndex }";

export const TAGS_ADD = `mutation TagsAdd($id: ID!, $tags: [String!]!) {
  tagsAdd(id: $id, tags: $tags) { ${TAGS_PAYLOAD} }
}`;

export const TAGS_REMOVE = `mutation TagsRemove($id: ID!, $tags: [String!]!) {
  tagsRemove(id: $id, tags: $tags) { ${TAGS_PAYLOAD} }
}`;

// At most 25 metafields per call, atomic.
export const METAFIELDS_SET = `mutation MetafieldsSet($metafields: [MetafieldsSetInput!]!) {
  metafieldsSet(metafields: $metafields) { ${METAFIELDS_PAYLOAD} }
}`;

export const METAFIELDS_DELETE = `mutation MetafieldsDelete($metafields: [MetafieldIdentifierInput!]!) {
  metafieldsDelete(metafields: $metafields) {
    deletedMetafields { ownerId namespace key }
    userErrors { field message }
  }
}`;

export const METAFIELD_DEFINITIONS = `query MetafieldDefinitions($namespace: String!, $first: Int!) {
  metafieldDefinitions(ownerType: CUSTOMER, namespace: $namespace, first: $first) {
    nodes { key type { name } }
  }
}`;

export const METAFIELD_DEFINITION_CREATE = `mutation MetafieldDefinitionCreate($definition: MetafieldDefinitionInput!) {
  metafieldDefinitionCreate(definition: $definition) {
    createdDefinition { id }
    userErrors { field message code }
  }
}`;

export const SHOP = `query Shop {
  shop { id name email myshopifyDomain currencyCode }
}`;

export const PRIMARY_DOMAIN = `query PrimaryDomain {
  shop { id currencyCode ianaTimezone primaryDomain { url host } }
}`;

export const SHOP_POLICIES = `query ShopPolicies {
  shop { shopPolicies { type title body updatedAt } }
}`;

// Privacy settings: read and written with scopes that a merchant grants on demand.
export const CONSENT_POLICIES = `query ConsentPolicies {
  consentPolicy { countryCode regionCode consentRequired dataSaleOptOutRequired }
  consentPolicyRegions { countryCode regionCode }
  privacySettings { banner { enabled } }
}`;

export const CONSENT_POLICY_UPDATE = `mutation ConsentPolicyUpdate($consentPolicies: [ConsentPolicyInput!]!) {
  consentPolicyUpdate(consentPolicies: $consentPolicies) {
    updatedPolicies { countryCode regionCode }
    userErrors { code field message }
  }
}`;

export const PRIVACY_FEATURES_DISABLE = `mutation PrivacyFeaturesDisable($features: [PrivacyFeaturesEnum!]!) {
  privacyFeaturesDisable(featuresToDisable: $features) {
    featuresDisabled
    userErrors { field message }
  }
}`;

export const DATA_SALE_OPT_OUT = `mutation DataSaleOptOut($email: String!) {
  dataSaleOptOut(email: $email) { customerId userErrors { field message } }
}`;

export const EMAIL_MARKETING_CONSENT_UPDATE = `mutation EmailMarketingConsentUpdate($input: CustomerEmailMarketingConsentUpdateInput!) {
  customerEmailMarketingConsentUpdate(input: $input) {
    customer { id updatedAt }
    userErrors { field message }
  }
}`;

export const SMS_MARKETING_CONSENT_UPDATE = `mutation SmsMarketingConsentUpdate($input: CustomerSmsMarketingConsentUpdateInput!) {
  customerSmsMarketingConsentUpdate(input: $input) {
    customer { id updatedAt }
    userErrors { field message }
  }
}`;

export const APP_INSTALLATION = `query AppInstallation {
  currentAppInstallation { accessScopes { handle } }
}`;

export const APP_INSTALLATION_ID = `query AppInstallationId {
  currentAppInstallation { id }
}`;

// A file goes to storage of the platform first, then it is made a file of the store, which is processed
// in the background.
export const STAGED_UPLOADS_CREATE = `mutation StagedUploadsCreate($input: [StagedUploadInput!]!) {
  stagedUploadsCreate(input: $input) {
    stagedTargets { url resourceUrl parameters { name value } }
    userErrors { field message }
  }
}`;

export const FILE_CREATE = `mutation FileCreate($files: [FileCreateInput!]!) {
  fileCreate(files: $files) {
    files { id fileStatus }
    userErrors { field message code }
  }
}`;

export const IMAGE_FILE = `query ImageFile($id: ID!) {
  node(id: $id) {
    id
    ... on MediaImage { fileStatus fileErrors { code message } image { url } }
  }
}`;

/** The answer says only that the call was taken: the platform runs the workflows afterwards. */
export const FLOW_TRIGGER_RECEIVE = `mutation FlowTriggerReceive($handle: String!, $payload: JSON!) {
  flowTriggerReceive(handle: $handle, payload: $payload) {
    userErrors { field message }
  }
}`;

// The app's web pixel, of which a store has at most one. `settings` is JSON by the extension's own definition.
export const WEB_PIXEL = `query WebPixel {
  webPixel { id settings }
}`;

export const WEB_PIXEL_CREATE = `mutation WebPixelCreate($webPixel: WebPixelInput!) {
  webPixelCreate(webPixel: $webPixel) {
    webPixel { id }
    userErrors { code field message }
  }
}`;

export const WEB_PIXEL_UPDATE = `mutation WebPixelUpdate($id: ID!, $webPixel: WebPixelInput!) {
  webPixelUpdate(id: $id, webPixel: $webPixel) {
    webPixel { id }
    userErrors { code field message }
  }
}`;

export const STOREFRONT_DOCUMENTS: Record<string, string> = {
  WEBHOOK_SUBSCRIPTIONS,
  WEBHOOK_SUBSCRIPTION_CREATE,
  WEBHOOK_SUBSCRIPTION_UPDATE,
  WEBHOOK_SUBSCRIPTION_DELETE,
  CUSTOMER,
  CUSTOMERS_PAGE,
  CUSTOMERS_SAMPLE,
  BULK_CUSTOMERS: bulkCustomers("2026-01-01"),
  BULK_OPERATION_RUN,
  BULK_OPERATION,
  CUSTOMER_BY_EMAIL,
  CUSTOMER_SEGMENT,
  SEGMENT_MEMBERS,
  CUSTOMER_CREATE,
  TAGS_ADD,
  TAGS_REMOVE,
  METAFIELDS_SET,
  METAFIELDS_DELETE,
  METAFIELD_DEFINITIONS,
  METAFIELD_DEFINITION_CREATE,
  SHOP,
  PRIMARY_DOMAIN,
  SHOP_POLICIES,
  CONSENT_POLICIES,
  CONSENT_POLICY_UPDATE,
  PRIVACY_FEATURES_DISABLE,
  DATA_SALE_OPT_OUT,
  EMAIL_MARKETING_CONSENT_UPDATE,
  SMS_MARKETING_CONSENT_UPDATE,
  APP_INSTALLATION,
  APP_INSTALLATION_ID,
  STAGED_UPLOADS_CREATE,
  FILE_CREATE,
  IMAGE_FILE,
  FLOW_TRIGGER_RECEIVE,
  ...COMMERCE_DOCUMENTS,
  WEB_PIXEL,
  WEB_PIXEL_CREATE,
  WEB_PIXEL_UPDATE,
};
