import { peopleOfExport, readExport } from "../domain/compliance/export/export-link.ts";
import { endpoint } from "../http/endpoint.ts";
import { exportReply, requestIdOf } from "../http/shopper/export-download.ts";
import { PersonalData } from "../http/openapi/results/person.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The export that a data request made, for operators.",
    auth: "admin",
    access: "exported",
    tenant: "registered",
    result: PersonalData,
    async handle({ ctx, tenant, params, accessed }) {
      const id = requestIdOf(params.id);
      const document = await readExport(ctx, tenant, id);
      accessed({ userIds: peopleOfExport(document) });
      return exportReply(id, document);
    },
  },
});
