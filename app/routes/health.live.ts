import { z } from "zod";
import { endpoint, json } from "../http/endpoint.ts";
import { LIVE } from "../runtime/version.ts";

const Live = z.object({ status: z.literal("ok"), service: z.string(), version: z.string() });

export const { loader, action, route } = endpoint({
  GET: {
    summary: "Whether this process is up. Asks nothing of the database.",
    auth: "none",
    tenant: "none",
    answers: { 200: "The process is up." },
    result: { 200: Live },
    handle: async () => json(200, LIVE),
  },
});
