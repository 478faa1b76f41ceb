import { z } from "zod";
import { publicDocument } from "../http/agents/discovery.ts";
import { endpoint } from "../http/endpoint.ts";

/** The date since which the service obeys `Sec-GPC`. */
const LAST_UPDATE = "2026-11-21";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "Says that Global Privacy Control is obeyed.",
    auth: "none",
    tenant: "none",
    isCacheable: true,
    answers: { 200: "The statement.", 304: "It is the one that If-None-Match names." },
    result: z.object({ gpc: z.literal(true), lastUpdate: z.iso.date() }),
    handle: async ({ request }) => publicDocument(request, { gpc: true, lastUpdate: LAST_UPDATE }),
  },
});
