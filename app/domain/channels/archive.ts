// Channel `archive`: the delivery is the filing itself, and no store's list of channels takes it away.
import type { Ctx } from "../../context.server.ts";
import { OutboundError } from "../../runtime/errors.ts";
import { ARCHIVE_METHOD, type Channel } from "../bus/channel.ts";
import { fileMessage, messagePath } from "../bus/message-archive.ts";

export const archiveChannel: Channel = {
  name: "archive",
  credentialsKey: null,
  marketing: false,
  requiresConsent: null,
  isDestination: true,
  isEnabled: () => true,
  transform: (_ctx, item) =>
    Promise.resolve({
      transformed_payload: item.payload,
      delivery_config: {
        method: ARCHIVE_METHOD,
        endpoint: messagePath(item),
        credentials_key: null,
      },
    }),
  async deliver(ctx, item, message) {
    await fileMessage(ctx, item, message);
    return { httpStatus: null };
  },
  probe: async (ctx, tenant) => {
    await writeAndRemove(ctx, `probes/${tenant.shop}/${ctx.random.uuid()}.txt`);
    return { httpStatus: null };
  },
};

async function writeAndRemove(ctx: Ctx, path: string): Promise<void> {
  try {
    await ctx.archive.put(path, "probe", "text/plain");
    await ctx.archive.remove(path);
  } catch (error) {
    throw new OutboundError("archive", "network", {
      message: `the archive took nothing: ${(error as Error).message.slice(0, 200)}`,
    });
  }
}
