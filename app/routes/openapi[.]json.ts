import { z } from "zod";
import { endpoint } from "../http/endpoint.ts";
import { serviceDocument } from "../http/openapi/service-document.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "This document.",
    auth: "none",
    tenant: "none",
    result: z.looseObject({ openapi: z.string() }),
    handle: ({ ctx }) => serviceDocument(ctx),
  },
});
