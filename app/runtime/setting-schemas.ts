// The schemas of environment settings, which are read as text. Their messages name the mistake and
// repeat no part of the value.
import { Resolver } from "node:dns";
import { isIP } from "node:net";
import { z } from "zod";
import { parseDatabaseUrl } from "./database/connection/address.ts";
import { withoutTrailingSlashes } from "./slashes.ts";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** The minimum length of every inbound secret, deployed or saved. */
export const MIN_SECRET_LENGTH = 16;

export const secret = z
  .string()
  .min(MIN_SECRET_LENGTH, `must be at least ${MIN_SECRET_LENGTH} characters`);
/** A secret that is sent as a header: other characters never arrive. */
export const headerSecret = secret.regex(
  /^[\x20-\x7e\xa0-\xff]*$/,
  "must be one line of Latin letters, digits and signs, because it is sent as a header",
);
export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(min).max(max));
export const list = z.string().transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean),
);

/** `https` anywhere, `http` only to this machine: no personal data is sent in clear text. */
function isSafeAddress(text: string): boolean {
  let url: URL;
  try {
    url = new URL(text.replaceAll("{shop}", "shop.myshopify.com"));
  } catch {
    return false;
  }
  return url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.has(url.hostname));
}
export const outsideAddress = z
  .string()
  .refine(isSafeAddress, "must be an https:// address (http:// only for a loopback host)")
  .transform(withoutTrailingSlashes);

/** A bucket of our own may be in the network of our own containers, whose names have no dot. */
function isBucketAddress(text: string): boolean {
  const url = URL.parse(text);
  if (!url?.hostname || url.username || url.password || url.port || url.hash) return false;
  const endpoint = url.searchParams.get("endpoint");
  if (endpoint === null || isSafeAddress(endpoint)) return true;
  const at = URL.parse(endpoint);
  return at?.protocol === "http:" && /^[a-z0-9_-]+$/i.test(at.hostname);
}

/** Where the service's archive may be. Saved or deployed, a wrong one stops the archive of every store. */
export const isArchiveAddress = (text: string): boolean =>
  text.startsWith("s3://") ? isBucketAddress(text) : /^file:./.test(text);

const HOST_NAME = /^[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?$/i;

export function isAllowedOutside(text: string): boolean {
  if (text === "file" || /^file:./.test(text)) return true;
  const host = /^(.*):\d{1,5}$/.exec(text)?.[1];
  return [text, ...(host === undefined ? [] : [host])].some(
    (name) => isIP(name) !== 0 || HOST_NAME.test(name),
  );
}

export function areNameServers(servers: string[]): boolean {
  try {
    new Resolver().setServers(servers);
    return true;
  } catch {
    return false;
  }
}

/** The address is passed on as it is; the message names the mistake and no part of the address. */
export const databaseAddress = z.string().superRefine((text, refused) => {
  try {
    parseDatabaseUrl(text);
  } catch (error) {
    refused.addIssue({ code: "custom", message: (error as Error).message });
  }
});

/** The same for a standby, of which no writes are wanted. */
export const replicaAddress = databaseAddress.refine(
  (text) => !/^[a-z]+:\/\/[^/?#]*,|[?&]target_session_attrs=/i.test(text),
  "must be one address, without target_session_attrs",
);
