/**
 * Files of a store: staged upload targets, a real multipart upload, the processing after it, and the
 * address that shows an image.
 */
import { GraphQLError } from "graphql";
import { json, text } from "../exchange.ts";
import type { ApiResponse, Call } from "../exchange.ts";
import type { GraphqlContext } from "./graphql/admin-api.ts";
import { requireAccess } from "./scopes.ts";
import type { ShopState, StoreFile } from "./state.ts";

const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
const SCOPE = "write_files";

export type FileSettings = {
  /** How many looks find a new file still in work. */
  processingLooks: number;
  /** New files end as FAILED. */
  isFailing: boolean;
};
export const FILE_DEFAULTS: FileSettings = { processingLooks: 1, isFailing: false };

type StagedInput = {
  filename: string;
  mimeType: string;
  resource: string;
  httpMethod?: string | null;
  fileSize?: string | null;
};
type CreateInput = {
  originalSource: string;
  filename?: string | null;
  contentType?: string | null;
};

export const fileResolvers = {
  stagedUploadsCreate: (
    { input }: { input: StagedInput[] },
    { shop, scope, baseUrl, changed }: GraphqlContext,
  ) => {
    requireAccess(scope, "stagedUploadsCreate", SCOPE);
    const wrong = input.findIndex(
      ({ resource, mimeType, fileSize }) =>
        resource === "IMAGE" &&
        (!mimeType.startsWith("image/") || Number(fileSize ?? 0) > MAX_IMAGE_BYTES),
    );
    if (wrong >= 0)
      return {
        stagedTargets: null,
        userErrors: [{ field: ["input", String(wrong)], message: "is not an image that is taken" }],
      };
    const stagedTargets = input.map(({ filename, mimeType }) => {
      const key = `tmp/${crypto.randomUUID()}/${filename}`;
      const policy = crypto.randomUUID();
      (shop.stagedFiles ??= {})[key] = { mimeType, policy, base64: null };
      return {
        url: `${baseUrl}/staged-uploads`,
        resourceUrl: `${baseUrl}/staged-uploads/${key}`,
        parameters: [
          { name: "key", value: key },
          { name: "policy", value: policy },
          { name: "success_action_status", value: "201" },
        ],
      };
    });
    changed();
    return { stagedTargets, userErrors: [] };
  },

  fileCreate: (
    { files }: { files: CreateInput[] },
    { shop, scope, baseUrl, files: settings, changed }: GraphqlContext,
  ) => {
    requireAccess(scope, "fileCreate", SCOPE);
    const made: StoreFile[] = [];
    for (const [place, { originalSource, filename }] of files.entries()) {
      const key = originalSource.replace(`${baseUrl}/staged-uploads/`, "");
      const staged = shop.stagedFiles?.[key];
      if (!staged?.base64)
        return {
          files: [],
          userErrors: [
            {
              field: ["files", String(place), "originalSource"],
              message: "Image URL is invalid",
              code: "INVALID_IMAGE_SOURCE_URL",
            },
          ],
        };
      made.push({
        id: `gid://shopify/MediaImage/${2_200_001 + Object.keys(shop.files ?? {}).length + place}`,
        name: filename ?? (key.split("/").at(-1) as string),
        mimeType: staged.mimeType,
        base64: staged.base64,
        looksLeft: settings.processingLooks,
        isFailing: settings.isFailing,
      });
      delete shop.stagedFiles?.[key];
    }
    for (const file of made) (shop.files ??= {})[file.id] = file;
    changed();
    return { files: made.map((file) => toMediaImage(baseUrl, file, "UPLOADED")), userErrors: [] };
  },

  node: ({ id }: { id: string }, { shop, scope, baseUrl }: GraphqlContext) => {
    if (!id.startsWith("gid://shopify/MediaImage/"))
      throw new GraphQLError(`The sandbox has no node ${id}`);
    requireAccess(scope, "node", "read_files");
    const file = shop.files?.[id];
    if (!file) return null;
    if (file.looksLeft > 0) {
      file.looksLeft -= 1;
      return toMediaImage(baseUrl, file, "PROCESSING");
    }
    return toMediaImage(baseUrl, file, file.isFailing ? "FAILED" : "READY");
  },
};

const toMediaImage = (baseUrl: string, { id, name }: StoreFile, fileStatus: string) => ({
  __typename: "MediaImage",
  id,
  fileStatus,
  fileErrors:
    fileStatus === "FAILED"
      ? [{ code: "UNSUPPORTED_IMAGE_FILE_TYPE", message: "The image could not be read" }]
      : [],
  image: fileStatus === "READY" ? { url: `${baseUrl}/files/${name}?v=1` } : null,
});

/** POST of a form to the staged target: its parameters, then the file. */
export async function takeUpload(shop: ShopState, call: Call): Promise<ApiResponse> {
  const form = await readForm(call);
  const [key, policy] = [form?.get("key"), form?.get("policy")];
  const staged = typeof key === "string" ? shop.stagedFiles?.[key] : undefined;
  const file = form?.get("file");
  if (!form || !staged || policy !== staged.policy)
    return text(403, "<Error><Code>AccessDenied</Code></Error>");
  if (
    !(file instanceof File) ||
    [...form.keys()].at(-1) !== "file" ||
    file.type !== staged.mimeType
  )
    return text(400, "<Error><Code>InvalidPolicyDocument</Code></Error>");
  staged.base64 = Buffer.from(await file.arrayBuffer()).toString("base64");
  return text(201, "<PostResponse/>");
}

const readForm = (call: Call): Promise<FormData | null> =>
  new Response(new Uint8Array(call.bytes), {
    headers: { "content-type": call.headers["content-type"] ?? "" },
  })
    .formData()
    .catch(() => null);

/** What the platform's content network shows. */
export function showFile(shop: ShopState, name: string): ApiResponse {
  const file = Object.values(shop.files ?? {}).find((one) => one.name === name);
  return file
    ? {
        status: 200,
        headers: { "content-type": file.mimeType, "cache-control": "max-age=31536000" },
        body: Buffer.from(file.base64, "base64"),
      }
    : json(404, { errors: "Not Found" });
}
