import { Firmware, Mpn, saveFirmware } from "../domain/events/firmware.ts";
import { dataOf } from "../domain/tenants/tenant.ts";
import { endpoint } from "../http/endpoint.ts";
import { FirmwareEntry } from "../http/openapi/results/operation.ts";
import { Ok } from "../http/openapi/results/outcome.ts";
import { AppError } from "../runtime/errors.ts";

export const { loader, action, route } = endpoint({
  PUT: {
    summary:
      "Sets the firmware that a product carries from now on; each unit shipped is bound to it in the firmware ledger.",
    auth: "event_admin",
    tenant: "registered",
    body: Firmware,
    result: Ok.extend({ firmware: FirmwareEntry }),
    async handle({ ctx, tenant, params, body }) {
      const mpn = Mpn.safeParse(params.mpn);
      if (!mpn.success)
        throw new AppError("invalid_request", {
          fields: { mpn: "must be a product number of at most 200 characters" },
        });
      return { ok: true, firmware: await saveFirmware(dataOf(ctx, tenant), mpn.data, body) };
    },
  },
});
