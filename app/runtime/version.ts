import manifest from "../../package.json" with { type: "json" };

export const SERVICE_NAME = "customer-identity-service";
export const VERSION: string = manifest.version;
