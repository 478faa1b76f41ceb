/**
 * The NOTIFY channels that wake the workers of the queues. Each has the name of its queue's table, whose
 * triggers send it (prisma/migrations).
 */
export const QUEUE_NOTIFICATIONS = [
  "integration_queue",
  "webhook_inbox",
  "privacy_requests",
  "tag_runs",
  "tag_matches",
] as const;

export type QueueNotification = (typeof QUEUE_NOTIFICATIONS)[number];
