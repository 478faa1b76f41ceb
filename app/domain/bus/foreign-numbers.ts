/** The sources of events whose numeric ids are neither the storefront's nor ours. */
export const FOREIGN_NUMBER_SOURCES: ReadonlySet<string> = new Set(["cms", "erp", "erpsys", "wms"]);
