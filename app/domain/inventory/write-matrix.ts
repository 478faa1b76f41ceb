// What each event writes, and where (SPEC "Real-time write matrix per authentication event"): W
// write, R read, D delete, `-` nothing. The backend columns are rows of the causing transaction;
// the others are channels of the bus.

type Access = "W" | "R" | "D" | "-";

export type MatrixRow = {
  users: Access;
  claims: Access;
  consent: Access;
  cms: Access;
  storefront: Access;
  web_analytics: Access;
  profile_platform: Access;
};

const row = (
  users: Access,
  claims: Access,
  consent: Access,
  cms: Access,
  storefront: Access,
  web_analytics: Access,
  profile_platform: Access,
): MatrixRow => ({
  users,
  claims,
  consent,
  cms,
  storefront,
  web_analytics,
  profile_platform,
});

export const WRITE_MATRIX = {
  email_signup: row("W", "W", "W", "W", "W", "W", "W"),
  email_login: row("R", "-", "-", "-", "-", "-", "-"),
  federated_sign_in: row("W", "W", "W", "W", "W", "W", "W"),
  storefront_sign_in: row("W", "W", "W", "W", "W", "W", "W"),
  storefront_webhook: row("W", "-", "-", "W", "-", "W", "W"),
  tag_change: row("-", "-", "-", "W", "W", "W", "W"),
  consent_update: row("-", "W", "W", "-", "-", "W", "-"),
  password_reset: row("R", "-", "-", "-", "-", "-", "-"),
  account_delete: row("D", "D", "W", "D", "-", "-", "-"),
} as const satisfies Record<string, MatrixRow>;

export type MatrixEvent = keyof typeof WRITE_MATRIX;

/** The matrix's columns of other systems: they hold the store's customers. */
export const CUSTOMER_CHANNELS = [
  "cms",
  "storefront",
  "web_analytics",
  "profile_platform",
] as const;

type MatrixChannel<Tenant> = {
  name: string;
  isEnabled(tenant: Tenant): boolean;
  alsoReceives?: readonly MatrixEvent[];
};

/**
 * The enabled channels that an event writes to or deletes from, and those without a column that
 * receive it too.
 */
export function channelsFor<Tenant>(
  event: MatrixEvent,
  tenant: Tenant,
  channels: readonly MatrixChannel<Tenant>[],
): string[] {
  const written = CUSTOMER_CHANNELS.filter((name) => WRITE_MATRIX[event][name] !== "-");
  const more = channels.filter(({ alsoReceives }) => alsoReceives?.includes(event));
  return [...written, ...more.map(({ name }) => name)].filter((name) =>
    channels.some((channel) => channel.name === name && channel.isEnabled(tenant)),
  );
}
