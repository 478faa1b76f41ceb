// Channel `archive`: the delivery is the archive copy itself. A store's destination list cannot
// disable it.
import type { StoreArchive } from "../../integrations/store-archive.ts";
import { OutboundError } from "../../runtime/errors.ts";
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
    await writeAndRemove(ctx.archive.ofStore(tenant.shop), `probes/${ctx.random.uuid()}.txt`);
    return { httpStatus: null };
  },
};

async function writeAndRemove(archive: StoreArchive, path: string): Promise<void> {
  try {
    await archive.put(path, "probe", "text/plain");
    await archive.remove(path);
  } catch (error) {
    throw new OutboundError("archive", "network", {
      message: `the archive rejected the write: ${(error as Error).message.slice(0, 200)}`,
    });
  }
}
