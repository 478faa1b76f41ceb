// `GET /embed/stack-loader.js`: scripts/stack-loader.ts with a store's public values; and its second part,
// the same for every store.
import { toLoaderValues } from "../domain/tenants/storefront/loader-values.ts";
import { SCRIPTS } from "../generated/embeds/scripts.ts";
import { scriptJson } from "./escaping.ts";
import type { PublicConfig } from "./public-config.ts";

export const renderStackLoader = (config: PublicConfig): string =>
  SCRIPTS["stack-loader"].replace("__CONFIG__", () =>
    scriptJson(toLoaderValues({ ...config, regions: null })),
  );

export const stackBridge = (): string => SCRIPTS["stack-bridge"];
