// The list of all channels.
import type { Channel } from "../bus/channel.ts";
import { archiveChannel } from "./archive.ts";
import { backendChannel } from "./backend.ts";
import { cmsChannel } from "./cms/cms.ts";
import { emailChannel } from "./email/email.ts";
import { erpGenericChannel } from "./erp/erp-generic.ts";
import { erpsysChannel } from "./erp/erpsys.ts";
import { flowChannel } from "./flow.ts";
import { profilePlatformChannel } from "./profile-platform.ts";
import { retailAnalyticsAChannel } from "./retail/retail-analytics-a.ts";
import { retailAnalyticsBChannel } from "./retail/retail-analytics-b.ts";
import { storefrontChannel } from "./storefront/storefront.ts";
import { webAnalyticsChannel } from "./web-analytics/web-analytics.ts";

export const channels: readonly Channel[] = [
  cmsChannel,
  storefrontChannel,
  flowChannel,
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
