// Types the keys of the texts from English: a key that does not exist fails the compiler.
import type agentActivity from "./locales/en/agents/agent-activity.json";
import type agents from "./locales/en/agents/agents.json";
import type banner from "./locales/en/consent/banner.json";
import type changes from "./locales/en/customers/changes.json";
import type connection from "./locales/en/connection.json";
import type conflict from "./locales/en/conflict.json";
import type consent from "./locales/en/consent/consent.json";
import type customer from "./locales/en/customers/customer.json";
import type customers from "./locales/en/customers/customers.json";
import type deliveries from "./locales/en/events/deliveries.json";
import type errors from "./locales/en/errors.json";
import type events from "./locales/en/events/events.json";
import type failures from "./locales/en/events/failures.json";
import type frame from "./locales/en/frame.json";
import type glossary from "./locales/en/glossary.json";
import type home from "./locales/en/home.json";
import type insights from "./locales/en/consent/insights.json";
import type pages from "./locales/en/pages.json";
import type places from "./locales/en/places.json";
import type privacy from "./locales/en/privacy.json";
import type regions from "./locales/en/regions.json";
import type settings from "./locales/en/settings.json";
import type setupGuide from "./locales/en/setup-guide.json";
import type standalone from "./locales/en/standalone.json";
import type cookieList from "./locales/en/consent/cookie-list.json";
import type cookieUses from "./locales/en/consent/cookie-uses.json";
import type storefrontCheck from "./locales/en/consent/storefront-check.json";
import type segments from "./locales/en/segments.json";
import type tags from "./locales/en/tags.json";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "frame";
    resources: {
      "agent-activity": typeof agentActivity;
      agents: typeof agents;
      banner: typeof banner;
      changes: typeof changes;
      connection: typeof connection;
      conflict: typeof conflict;
      consent: typeof consent;
      customer: typeof customer;
      customers: typeof customers;
      deliveries: typeof deliveries;
      errors: typeof errors;
      events: typeof events;
      failures: typeof failures;
      frame: typeof frame;
      glossary: typeof glossary;
      home: typeof home;
      insights: typeof insights;
      pages: typeof pages;
      places: typeof places;
      privacy: typeof privacy;
      regions: typeof regions;
      settings: typeof settings;
      "setup-guide": typeof setupGuide;
      standalone: typeof standalone;
      "cookie-list": typeof cookieList;
      "cookie-uses": typeof cookieUses;
      "storefront-check": typeof storefrontCheck;
      segments: typeof segments;
      tags: typeof tags;
    };
  }
}
