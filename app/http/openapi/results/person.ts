// What responses say of a shopper.
import { z } from "zod";
import { ACCOUNT_PROVIDERS } from "../../../domain/inventory/sign-in-providers.ts";
import { Timestamp } from "./outcome.ts";

const User = z
  .object({
    id: z.int(),
    email: z.string().nullable(),
    full_name: z.string().nullable(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    avatar_url: z.string().nullable(),
    provider: z.enum(ACCOUNT_PROVIDERS),
    status: z.enum(["active", "deleted", "suspended"]),
    language_pref: z.string().nullable(),
    tags: z.array(z.string()),
    number_of_orders: z.int(),
    amount_spent: z.number(),
    email_subscription_status: z.string().nullable(),
    sms_subscription_status: z.string().nullable(),
    country: z.string().nullable(),
    storefront_customer_gid: z.string().nullable(),
    email_verified: z.boolean(),
    last_login_at: Timestamp.nullable(),
    updated_at: Timestamp,
  })
  .meta({ id: "User" });

export const Session = z
  .object({ token: z.jwt({ alg: "HS256" }), user: User })
  .meta({ id: "Session", description: "The session token, which is also set as a cookie." });

const Consents = z
  .object({
    tos: z.boolean(),
    privacy: z.boolean(),
    cookie: z.boolean(),
    marketing: z.boolean(),
    a2a: z.boolean(),
    ap2: z.boolean(),
  })
  .meta({ id: "Consents", description: "Whether each consent is granted now." });

export const AssignedTag = z
  .object({
    slug: z.string(),
    name: z.string(),
    category: z.string(),
    source: z.enum(["storefront", "ucp", "admin", "system"]),
    assigned_at: Timestamp,
  })
  .meta({ id: "AssignedTag" });

export const Me = z.object({ user: User, consents: Consents });

export const Profile = Me.extend({
  tags: z.array(AssignedTag),
  segment_id: z.string().nullable(),
  language: z.string().nullable(),
  consent_version: z.string().nullable(),
  linked_providers: z.array(z.string()),
}).meta({ id: "Profile" });

export const Identity = z
  .object({
    user_id: z.int(),
    email: z.string().nullable(),
    linked_providers: z.array(z.string()),
    consents: Consents,
    tags: z.array(z.string()),
    segment: z.string().nullable(),
    language: z.string().nullable(),
  })
  .meta({ id: "Identity" });

export const Segment = z.object({
  segment_id: z.string().nullable(),
  segments: z.array(z.string()),
});

const ChannelState = z.enum(["ok", "failed", "skipped", "queued"]);

export const TagChange = z
  .object({
    ok: z.literal(true),
    tags: z.array(z.string()),
    added: z.array(z.string()),
    removed: z.array(z.string()),
    channels: z.object({
      backend: ChannelState,
      storefront: ChannelState,
      cms: ChannelState,
      web_analytics: ChannelState,
    }),
  })
  .meta({ id: "TagChange" });

/** The export of a person's data: sections of rows. */
export const PersonalData = z.record(z.string(), z.unknown()).meta({
  id: "PersonalData",
  description: "Everything stored of a person, section by section.",
  examples: [{ accounts: [{ id: 42, email: "ada@example.com" }], tags: [] }],
});
