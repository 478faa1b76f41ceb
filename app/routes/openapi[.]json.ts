import { z } from "zod";
import { publicDocument } from "../http/agents/discovery.ts";
import { endpoint } from "../http/endpoint.ts";
import { serviceDocument } from "../http/openapi/service-document.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "This document.",
    auth: "none",
    tenant: "none",
    isCacheable: true,
    answers: { 200: "The document.", 304: "It is the one that If-None-Match names." },
    result: z.looseObject({ openapi: z.string() }),
    handle: async ({ ctx, request }) => publicDocument(request, await serviceDocument(ctx)),
  },
});
