import { useTranslation } from "react-i18next";

const SCOPES = {
  "identity:read": "scopes.readIdentity",
  "dev.ucp.shopping.order:read": "scopes.readOrders",
  "dev.ucp.shopping.checkout:manage": "scopes.manageCheckouts",
  "commerce.mandates:create": "scopes.createMandates",
} as const;

export function useScopeLabel(): (scope: string) => string {
  const { t } = useTranslation("agents");
  return (scope) =>
    Object.hasOwn(SCOPES, scope) ? t(SCOPES[scope as keyof typeof SCOPES]) : scope;
}

/** What a mandate covers: everything, a collection or a product (SPEC "Mandates"). */
export function useCoverLabel(): (scope: string) => string {
  const { t } = useTranslation("agents");
  return (scope) => {
    if (scope === "all") return t("scopeAll");
    const [kind, ...rest] = scope.split(":");
    return kind === "collection"
      ? t("collection", { name: rest.join(":") })
      : t("product", { id: scope.slice(scope.lastIndexOf("/") + 1) });
  };
}
