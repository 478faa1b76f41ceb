// `GET /embed/stack-loader.js`: scripts/stack-loader.ts with a store's public values.
import { SCRIPTS } from "../generated/embeds/scripts.ts";
import { scriptJson } from "./escaping.ts";
import type { PublicConfig } from "./public-config.ts";

/**
 * A tuple, because property names would be sent to every shopper. `tag` is empty where the store
 * has none.
 */
export type LoaderConfig = [
  shop: string,
  service: string,
  isBasic: boolean,
  tag: string,
  version?: string,
];

export function renderStackLoader(config: PublicConfig): string {
  const values: LoaderConfig = [
    config.shop,
    config.serviceUrl,
    config.consentMode === "basic",
    config.measurementId ?? "",
  ];
  if (config.policyVersion) values.push(config.policyVersion);
  return SCRIPTS["stack-loader"].replace("__CONFIG__", () => scriptJson(values));
}
