/**
 * metafieldDefinitions and metafieldDefinitionCreate for customers (shopify.dev
 * "MetafieldDefinition"): one per namespace and key.
 */
import { GraphQLError } from "graphql";
import type { GraphqlContext } from "./admin-api.ts";
import { METAFIELD_TYPES } from "./metafields.ts";
import type { MetafieldDefinition, ShopState } from "../state.ts";

type DefinitionInput = {
  namespace?: string | null;
  key: string;
  name: string;
  type: string;
  ownerType: string;
};

const MAX_PAGE = 250;

export const definitionResolvers = {
  metafieldDefinitions: (
    {
      ownerType,
      namespace,
      first,
    }: { ownerType: string; namespace?: string | null; first?: number | null },
    { shop }: GraphqlContext,
  ) => {
    if (!first || first > MAX_PAGE)
      throw new GraphQLError(`first must be between 1 and ${MAX_PAGE}`, {
        extensions: { code: "BAD_REQUEST" },
      });
    const found =
      ownerType === "CUSTOMER"
        ? definitionsOf(shop).filter((one) => !namespace || one.namespace === namespace)
        : [];
    return {
      nodes: found
        .slice(0, first)
        .map(({ gid, type, ...rest }) => ({ ...rest, id: gid, type: { name: type } })),
    };
  },

  metafieldDefinitionCreate: (
    { definition }: { definition: DefinitionInput },
    context: GraphqlContext,
  ) => {
    const { shop } = context;
    const refuse = (field: string, message: string, code: string) => ({
      createdDefinition: null,
      userErrors: [{ field: ["definition", field], message, code }],
    });
    const { key, name, type } = definition;
    const namespace = definition.namespace ?? "app--1";
    if (!context.scope.split(",").includes("write_customers"))
      return refuse("ownerType", "Access denied for the owner type.", "INVALID");
    if (definition.ownerType !== "CUSTOMER")
      throw new GraphQLError(`The sandbox does not play definitions of ${definition.ownerType}`);
    if (!/^[\w-]{3,255}$/.test(namespace))
      return refuse("namespace", "Namespace is invalid.", "INVALID");
    if (!/^[\w-]{2,64}$/.test(key)) return refuse("key", "Key is invalid.", "INVALID");
    if (name.trim() === "") return refuse("name", "Name can't be blank.", "BLANK");
    if (!METAFIELD_TYPES.includes(type))
      return refuse("type", `Type name ${type} is not a valid type.`, "INCLUSION");
    const defined = (shop.metafieldDefinitions ??= {});
    if (Object.hasOwn(defined, `${namespace}.${key}`))
      return refuse(
        "key",
        `Key is in use for Customer metafields on the '${namespace}' namespace.`,
        "TAKEN",
      );
    const made = {
      gid: `gid://shopify/MetafieldDefinition/${1_071_456_101 + Object.keys(defined).length}`,
      namespace,
      key,
      name,
      type,
    };
    defined[`${namespace}.${key}`] = made;
    context.changed();
    return { createdDefinition: { ...made, id: made.gid, type: { name: type } }, userErrors: [] };
  },
};

function definitionsOf(shop: ShopState): MetafieldDefinition[] {
  return Object.values(shop.metafieldDefinitions ?? {});
}
