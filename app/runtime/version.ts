import manifest from "../../package.json" with { type: "json" };

export const SERVICE_NAME = "customer-identity-service";
export const VERSION: string = manifest.version;

/** The answer of a process that is up. */
export const LIVE = { status: "ok", service: SERVICE_NAME, version: VERSION } as const;
