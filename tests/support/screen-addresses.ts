// The merchant's screens with their data, for what holds for all of them: the number of statements in a
// test, and the time in `npm run bench:screens`.

/** One thing of each kind, for the screens of one thing. */
export type KnownRows = { customerId: number; eventId: string; requestId: number };

export const screenAddresses = ({ customerId, eventId, requestId }: KnownRows): string[] => [
  "/app",
  "/app/customers",
  "/app/customers?q=person77777",
  "/app/customers?q=last77",
  "/app/customers?country=IS",
  "/app/customers?tag=rare",
  `/app/customers/${customerId}`,
  "/app/events",
  "/app/events?period=30d",
  "/app/events/log",
  "/app/events/log?status=failed",
  "/app/events/log?channel=erpsys",
  "/app/events/dead-letters",
  `/app/events/event/${eventId}`,
  "/app/events/destinations",
  "/app/consent",
  "/app/consent?type=marketing",
  "/app/consent/policies",
  "/app/consent/storefront",
  "/app/consent/cookies",
  "/app/tags",
  "/app/privacy",
  `/app/privacy/${requestId}`,
  "/app/agents",
  "/app/agents/mandates",
  "/app/settings",
];
