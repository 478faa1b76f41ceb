// Every channel, once.
import type { Channel } from "../bus/channel.ts";
import { archiveChannel } from "./archive.ts";
import { backendChannel } from "./backend.ts";
import { cmsChannel } from "./cms.ts";
import { emailChannel } from "./email.ts";
import { erpGenericChannel } from "./erp-generic.ts";
import { erpsysChannel } from "./erpsys.ts";
import { profilePlatformChannel } from "./profile-platform.ts";
import { retailAnalyticsAChannel } from "./retail-analytics-a.ts";
import { retailAnalyticsBChannel } from "./retail-analytics-b.ts";
import { storefrontChannel } from "./storefront.ts";
import { webAnalyticsChannel } from "./web-analytics.ts";

export const channels: readonly Channel[] = [
  cmsChannel,
  storefrontChannel,
  webAnalyticsChannel,
  profilePlatformChannel,
  emailChannel,
  erpsysChannel,
  erpGenericChannel,
  retailAnalyticsAChannel,
  retailAnalyticsBChannel,
  archiveChannel,
  backendChannel,
];
