// The store's logo as a file of the store (shopify.dev "Manage media for apps"): the image goes to the
// platform's storage, becomes a file, and is processed there; its address is the one to save.
//
//   staged -> uploaded -> file created (UPLOADED, PROCESSING) -> READY | FAILED
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "../../../context.server.ts";
import { isAppError, OutboundError } from "../../../runtime/errors.ts";
import type { StagedTarget } from "../../../integrations/storefront/storefront-client.ts";
import {
  FILE_CREATE,
  IMAGE_FILE,
  STAGED_UPLOADS_CREATE,
} from "../../../integrations/storefront/documents.ts";
import { link } from "../settings/field-schemas.ts";
import type { Tenant } from "../tenant.ts";
import { callAdminApi, requireNoUserErrors, type UserError } from "./admin-api.ts";

/** The access scope of the app that the upload needs. */
const SCOPE = "write_files";
export const MAX_LOGO_BYTES = 2 * 1024 * 1024;
const READY_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 500;

/**
 * `type`: neither PNG nor JPEG, by its first bytes. `scope`: the store did not allow it.
 * `access_refused`: the store refuses every call of the app. `processing`: the platform could not read the image, or takes too long. `unreachable`: worth another try.
 */
export type LogoUpload =
  | { outcome: "uploaded"; url: string }
  | {
      outcome: "refused";
      problem:
        | "type"
        | "size"
        | "scope"
        | "not_connected"
        | "access_refused"
        | "processing"
        | "unreachable";
    };

/** True also for a token entered by hand, whose scopes are unknown. */
export const canUploadLogo = ({ connection }: Tenant): boolean =>
  connection.granted_scopes?.includes(SCOPE) ?? true;

export async function uploadLogo(ctx: Ctx, tenant: Tenant, file: File): Promise<LogoUpload> {
  if (file.size > MAX_LOGO_BYTES) return { outcome: "refused", problem: "size" };
  const bytes = Buffer.from(await file.arrayBuffer());
  const type = findType(bytes);
  if (!type) return { outcome: "refused", problem: "type" };
  if (!canUploadLogo(tenant)) return { outcome: "refused", problem: "scope" };
  try {
    const url = await store(ctx, tenant, {
      bytes,
      mimeType: type.mimeType,
      filename: `logo-${ctx.random.uuid()}.${type.extension}`,
    });
    if (url === null) return { outcome: "refused", problem: "processing" };
    ctx.log.info("logo.uploaded", { shop: tenant.shop, bytes: bytes.length });
    return { outcome: "uploaded", url };
  } catch (error) {
    return { outcome: "refused", problem: problemOf(ctx, tenant, error) };
  }
}

const TYPES = [
  { mimeType: "image/png", extension: "png", start: "89504e470d0a1a0a" },
  { mimeType: "image/jpeg", extension: "jpg", start: "ffd8ff" },
] as const;

/** By the content: name and type are the sender's words. An SVG can hold script. */
const findType = (bytes: Buffer) =>
  TYPES.find(({ start }) => bytes.subarray(0, start.length / 2).toString("hex") === start);

type Image = { bytes: Buffer; mimeType: string; filename: string };

/** Returns the image's address; null when it could not be processed, or not in time. */
async function store(ctx: Ctx, { shop, config }: Tenant, image: Image): Promise<string | null> {
  const { filename, mimeType, bytes } = image;
  const { stagedUploadsCreate: staged } = await callAdminApi<{
    stagedUploadsCreate: { stagedTargets: StagedTarget[] | null; userErrors: UserError[] };
  }>(ctx, shop, {
    document: STAGED_UPLOADS_CREATE,
    variables: {
      input: [
        {
          filename,
          mimeType,
          resource: "IMAGE",
          httpMethod: "POST",
          fileSize: String(bytes.length),
        },
      ],
    },
  });
  requireNoUserErrors("stagedUploadsCreate", staged.userErrors);
  const target = staged.stagedTargets?.[0];
  if (!target) throw incomplete("stagedUploadsCreate");
  await ctx.storefront.uploadStaged(shop, target, image);
  const { fileCreate: created } = await callAdminApi<{
    fileCreate: { files: { id: string }[] | null; userErrors: UserError[] };
  }>(ctx, shop, {
    document: FILE_CREATE,
    variables: {
      files: [
        {
          originalSource: target.resourceUrl,
          contentType: "IMAGE",
          filename,
          ...(config.brand_name && { alt: config.brand_name }),
        },
      ],
    },
  });
  requireNoUserErrors("fileCreate", created.userErrors);
  const file = created.files?.[0];
  if (!file) throw incomplete("fileCreate");
  return awaitAddress(ctx, shop, file.id);
}

type FileState = { fileStatus?: string; image?: { url: string } | null } | null;

async function awaitAddress(ctx: Ctx, shop: string, id: string): Promise<string | null> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const { node } = await callAdminApi<{ node: FileState }>(ctx, shop, {
      document: IMAGE_FILE,
      variables: { id },
    });
    if (node?.fileStatus === "READY" && node.image)
      return link.safeParse(node.image.url).data ?? null;
    if (!node || node.fileStatus === "FAILED" || performance.now() > deadline) return null;
    await delay(LOOK_EVERY_MS);
  }
}

const incomplete = (mutation: string) =>
  new OutboundError("storefront", "malformed", { message: `${mutation} returned nothing` });

function problemOf(ctx: Ctx, { shop }: Tenant, error: unknown) {
  if (isAppError(error) && error.code === "not_installed") return "not_connected";
  if (!(error instanceof OutboundError)) throw error;
  ctx.log.warn("logo.not_uploaded", { shop, kind: error.kind, status: error.status });
  if (/access denied/i.test(error.message)) return "scope";
  if (error.status === 401 || error.status === 403) return "access_refused";
  const isRedirect = error.status !== undefined && error.status < 400;
  return error.retryable && !isRedirect ? "unreachable" : "processing";
}
