// Every field of the platform's saved configuration, once (DECISIONS 10).
import { z } from "zod";
import { isArchiveAddress } from "../../../runtime/setting-schemas.ts";
import { inboundSecret, link, NAMES_USER, namesNoUser, secretText, text } from "./field-schemas.ts";
import { REASONS } from "./field-reasons.ts";
import { TENANT_FIELDS, type TenantField } from "../tenant-config.ts";

/**
 * Settings for all tenants. A field with the name of a tenant's field is shared through its group
 * (lent-settings.ts).
 */
export const PLATFORM_FIELDS = {
  platform_client_id: { schema: text(200), label: "App client id" },
  platform_app_secret: {
    schema: inboundSecret(),
    label: "App secret",
    secret: true,
    isInbound: true,
  },
  email_from: { schema: TENANT_FIELDS.email_from.schema, label: "Sender" },
  email_api_key: { schema: secretText, label: "Email API key", secret: true },
  federated_client_id: { schema: text(400), label: "Identity provider client id" },
  federated_client_secret: {
    schema: secretText,
    label: "Identity provider client secret",
    secret: true,
  },
  archive_url: {
    schema: z
      .string()
      .regex(/^(file:|s3:\/\/)/, REASONS.archiveAddress)
      .refine(namesNoUser, NAMES_USER)
      .refine(isArchiveAddress, REASONS.archiveAddress),
    label: "Archive",
  },
  erp_base_url: { schema: link, label: "ERP address", calledByUs: true },
  erp_username: { schema: text(200), label: "ERP user" },
  erp_password: { schema: secretText, label: "ERP password", secret: true },
  erp_token: {
    schema: inboundSecret(),
    label: "Inbound ERP token",
    secret: true,
    isInbound: true,
  },
} as const satisfies Record<string, TenantField>;

type PlatformFieldName = keyof typeof PLATFORM_FIELDS;
export type PlatformConfig = {
  [N in PlatformFieldName]?: z.output<(typeof PLATFORM_FIELDS)[N]["schema"]> | undefined;
};
