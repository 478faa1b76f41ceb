import { publicDocument } from "../http/discovery.ts";
import { endpoint } from "../http/endpoint.ts";

/** The day on which the service began to obey `Sec-GPC`. */
const LAST_UPDATE = "2026-11-21";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "Says that Global Privacy Control is obeyed.",
    auth: "none",
    tenant: "none",
    answers: { 200: "The statement.", 304: "It is the one that If-None-Match names." },
    handle: async ({ inbound }) => publicDocument(inbound, { gpc: true, lastUpdate: LAST_UPDATE }),
  },
});
