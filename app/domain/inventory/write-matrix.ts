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

const NOTHING: MatrixRow = {
  users: "-",
  claims: "-",
  consent: "-",
  cms: "-",
  storefront: "-",
  web_analytics: "-",
  profile_platform: "-",
};

const EVERYTHING: MatrixRow = {
  users: "W",
  claims: "W",
  consent: "W",
  cms: "W",
  storefront: "W",
  web_analytics: "W",
  profile_platform: "W",
};

export const WRITE_MATRIX = {
  email_signup: EVERYTHING,
  email_login: { ...NOTHING, users: "R" },
  federated_sign_in: EVERYTHING,
  storefront_sign_in: EVERYTHING,
  storefront_webhook: {
    ...NOTHING,
    users: "W",
    cms: "W",
    web_analytics: "W",
    profile_platform: "W",
  },
  tag_change: {
    ...NOTHING,
    cms: "W",
    storefront: "W",
    web_analytics: "W",
    profile_platform: "W",
  },
  consent_update: { ...NOTHING, claims: "W", consent: "W", web_analytics: "W" },
  password_reset: { ...NOTHING, users: "R" },
  account_delete: { ...NOTHING, users: "D", claims: "D", consent: "W", cms: "D" },
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
  isAwaited?(tenant: Tenant): boolean;
  alsoReceives?: readonly MatrixEvent[];
};

/** Whether rows for the channel are enqueued: it is enabled, or will be again. */
export const takesRows = <Tenant>(
  tenant: Tenant,
  { isEnabled, isAwaited }: Pick<MatrixChannel<Tenant>, "isEnabled" | "isAwaited">,
): boolean => isEnabled(tenant) || (isAwaited?.(tenant) ?? false);

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
    channels.some((channel) => channel.name === name && takesRows(tenant, channel)),
  );
}
