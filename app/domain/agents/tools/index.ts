// Every tool for agents, once: /mcp lists them, /a2a maps its skills to them.
import { z } from "zod";
import type { Tenant } from "../../tenants/tenant.ts";
import { CART_TOOLS } from "./cart-tools.ts";
import { CATALOG_TOOLS } from "./catalog-tools.ts";
import { CHECKOUT_TOOLS } from "./checkout-tools.ts";
import { MANDATE_TOOLS } from "./mandate-tools.ts";
import { ORDER_TOOLS } from "./order-tools.ts";
import { SHOPPER_TOOLS } from "./shopper-tools.ts";
import type { AgentTool, Annotations } from "./tool.ts";

export const TOOLS: readonly AgentTool[] = [
  ...CATALOG_TOOLS,
  ...CART_TOOLS,
  ...CHECKOUT_TOOLS,
  ...ORDER_TOOLS,
  ...SHOPPER_TOOLS,
  ...MANDATE_TOOLS,
];

type ObjectSchema = { type: "object"; [member: string]: unknown };
type DescribedTool = {
  name: string;
  title: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema: ObjectSchema;
  annotations: Annotations;
};

const described = new Map<string, DescribedTool>(
  TOOLS.map(({ name, title, description, input, output, annotations }) => {
    const { $schema: _, ...inputSchema } = z.toJSONSchema(input, {
      io: "input",
      target: "draft-2020-12",
      // Each has a pattern too: a validator that does not know the format's name may reject the
      // whole schema.
      override: ({ jsonSchema }) => {
        delete jsonSchema.format;
      },
    });
    return [
      name,
      {
        name,
        title,
        description,
        inputSchema: inputSchema as ObjectSchema,
        outputSchema: output as ObjectSchema,
        annotations,
      },
    ];
  }),
);

/** The tools that this store's settings support, as clients see them. */
export const describeTools = (tenant: Tenant): DescribedTool[] =>
  TOOLS.filter((tool) => tool.isOffered(tenant)).map(
    ({ name }) => described.get(name) as DescribedTool,
  );

/** Finds tools that are not listed too: a call of one is answered with the reason. */
export const findTool = (name: string): AgentTool | null =>
  TOOLS.find((tool) => tool.name === name) ?? null;
