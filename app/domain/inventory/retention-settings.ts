// How long a store keeps what it may decide about, in days. The tenant's settings, the step of the
// scheduled run that deletes, the privacy page and docs/data-sheet.md derive from this table.

export type RetentionSetting = { label: string; days: number; min: number; max: number };

export const RETENTION_SETTINGS = {
  event_log_retention_days: { label: "Delivered events (days)", days: 30, min: 2, max: 365 },
  delivery_log_retention_days: { label: "Delivery attempts (days)", days: 30, min: 2, max: 365 },
  // The platform repeats a webhook for hours, and its id here is what recognises the repetition.
  webhook_retention_days: { label: "Processed webhooks (days)", days: 30, min: 7, max: 365 },
  archive_retention_days: { label: "Archived messages (days)", days: 365, min: 30, max: 3650 },
  tag_run_retention_days: { label: "Finished bulk changes (days)", days: 90, min: 7, max: 730 },
  // The merchant's evidence that a request was fulfilled in time.
  privacy_request_retention_days: {
    label: "Finished privacy requests (days)",
    days: 1095,
    min: 365,
    max: 3650,
  },
  // The mailed link to an export is valid for seven days.
  data_export_retention_days: {
    label: "Exports of personal data (days)",
    days: 30,
    min: 7,
    max: 365,
  },
  agent_activity_retention_days: { label: "Agent activity (days)", days: 90, min: 7, max: 730 },
  access_log_retention_days: { label: "Access log (days)", days: 365, min: 90, max: 3650 },
} as const satisfies Record<string, RetentionSetting>;

export type RetentionSettingName = keyof typeof RETENTION_SETTINGS;

/** The number of days of each setting, of one store or by default. */
export type RetentionDays = Readonly<Record<RetentionSettingName, number>>;

export const retentionSettingNames = Object.keys(RETENTION_SETTINGS) as RetentionSettingName[];

export const DEFAULT_RETENTION = Object.fromEntries(
  retentionSettingNames.map((name) => [name, RETENTION_SETTINGS[name].days]),
) as RetentionDays;

/** A fixed number of days, or the store's setting. */
export type Kept = number | RetentionSettingName;

export const daysOf = (kept: Kept, days: RetentionDays): number =>
  typeof kept === "number" ? kept : days[kept];
