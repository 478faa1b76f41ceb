/** Access scopes beside customers: the platform rejects a field and names the missing scope. */
import { GraphQLError } from "graphql";

/** What the app may ask for after the install; as in shopify.app.toml. */
export const OPTIONAL_SCOPES = [
  "read_legal_policies",
  "read_privacy_settings",
  "write_privacy_settings",
  "write_pixels",
  "read_customer_events",
];

export function requireAccess(granted: string, field: string, scope: string): void {
  const scopes = granted.split(",");
  if (scopes.includes(scope) || scopes.includes(scope.replace(/^read_/, "write_"))) return;
  const requiredAccess = `\`${scope}\` access scope.`;
  throw new GraphQLError(`Access denied for ${field} field. Required access: ${requiredAccess}`, {
    extensions: {
      code: "ACCESS_DENIED",
      documentation: "https://shopify.dev/api/usage/access-scopes",
      requiredAccess,
    },
  });
}
