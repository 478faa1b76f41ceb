// The door to the database: what a reader of the domain meets first. A tenant's rows are reached through
// `dataOf(ctx, tenant)`: `prisma` for plain reads and writes, `sql` for what
// docs/decisions/031-what-stays-sql.md lists, `transaction` for what must commit together.
export {
  openDatabase,
  PLATFORM,
  type Database,
  type TenantData,
  type TenantSql,
  type Transaction,
} from "./runtime/database/database.ts";
export type { TenantPrisma, TransactionPrisma } from "./runtime/database/tenant/tenant-prisma.ts";
export type { Columns, NullableColumns } from "./runtime/database/columns.ts";
export { isUniqueViolation } from "./runtime/database/postgres-errors.ts";
/** The tables' rows, one type per model of prisma/schema.prisma. */
export type {
  AccessLog,
  AgentActivity,
  BannerDay,
  BannerDraft,
  BannerVersion,
  ChannelHour,
  ChannelMinute,
  CheckoutSession,
  ConsentChainHead,
  ConsentDay,
  ConsentPolicy,
  ConsentRecord,
  CookieEntry,
  CrmTag,
  CustomerDay,
  CustomerTombstone,
  DeliveryAttempt,
  DeliveryExchange,
  EventLedger,
  FirmwareLedger,
  FirmwareRegistry,
  IdentityLink,
  IntegrationMapping,
  IntegrationQueue,
  Kv,
  Mandate,
  OauthClient,
  OauthGrant,
  OauthToken,
  PrivacyRequest,
  ProductUpcMapping,
  PublicHost,
  ReturnCase,
  StoreMove,
  StorefrontUser,
  Segment,
  TagRun,
  TagRunRefusal,
  UserClaims,
  UserExtras,
  UserTagMap,
  WebhookInbox,
} from "./generated/prisma/client.ts";
