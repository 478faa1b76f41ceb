/** How a sandbox OpenID provider behaves until a test or the console changes it. */
export type OidcSettings = {
  /** The authorize page answers at once: as `login_hint`, else as the first user. */
  autoApprove: boolean;
  tokenLifetimeSeconds: number;
  /**
   * How a client with a secret authenticates, as the discovery document announces it; null: the document
   * does not say, so only client_secret_basic is accepted.
   */
  clientAuthMethods: ("client_secret_basic" | "client_secret_post")[] | null;
  /** Whether ID tokens have the email claims. */
  hasEmailClaim: boolean;
};

export const OIDC_DEFAULTS: OidcSettings = {
  autoApprove: false,
  tokenLifetimeSeconds: 3600,
  clientAuthMethods: ["client_secret_post", "client_secret_basic"],
  hasEmailClaim: true,
};
