// Channel `archive`: the delivery is the archive copy itself. A store's destination list cannot
// disable it.
import { ARCHIVE_METHOD, type Channel } from "../bus/channel.ts";
import { archiveMessage, messagePath } from "../bus/message-archive.ts";

export const archiveChannel: Channel = {
  name: "archive",
  needs: [],
  isInternal: true,
  credentialsKey: null,
  marketing: false,
  requiresConsent: null,
  isDestination: true,
  isEnabled: () => true,
  transform: (ctx, tenant, item) =>
    Promise.resolve({
      transformed_payload: item.payload,
      delivery_config: {
        method: ARCHIVE_METHOD,
        endpoint: ctx.archive.ofStore(tenant.shop).pathOf(messagePath(item)),
        credentials_key: null,
      },
    }),
  async deliver(ctx, _tenant, item, message) {
    await archiveMessage(ctx, item, message);
    return { httpStatus: null };
  },
  probe: async (ctx, tenant) => {
    const archive = ctx.archive.ofStore(tenant.shop);
    const path = `probes/${ctx.random.uuid()}.txt`;
    await archive.put(path, "probe", "text/plain");
    await archive.remove(path);
    return { httpStatus: null };
  },
};
