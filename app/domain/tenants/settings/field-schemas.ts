// Schemas that a store's and the platform's configuration share.
import { z } from "zod";
import { MIN_SECRET_LENGTH } from "../../../runtime/setting-schemas.ts";
import { REASONS } from "./field-reasons.ts";

export const text = (max = 2_000) => z.string().trim().min(1).max(max);
export const secretText = text(8_000);
export const inboundSecret = (max = 8_000) =>
  z.string().trim().min(MIN_SECRET_LENGTH, REASONS.atLeast16).max(max);
/** Scheme, host and port, without wildcard: what a browser sends as `Origin`. */
export const isPlainOrigin = (text: string): boolean =>
  /^https?:\/\/([a-z0-9-]+(\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(:\d{1,5})?$/.test(text);
export const origin = z
  .url({ protocol: /^https?$/ })
  .transform((value) => new URL(value).origin)
  .refine(isPlainOrigin, REASONS.url);
/** Addresses are shown and logged; who calls them has fields of its own. */
export function namesNoUser(address: string): boolean {
  const url = URL.parse(address);
  return !url?.username && !url?.password;
}
export const NAMES_USER = "must not hold a user name or password";
export const link = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .refine(namesNoUser, NAMES_USER);
/** Nothing but six digits: it is written into styles. */
export const color = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^#[0-9a-f]{6}$/, REASONS.color);
export const storeUrl = z
  .string()
  .regex(/^(https?:\/\/|s3:\/\/|file:)/, REASONS.storageAddress)
  .max(2_000)
  .refine(namesNoUser, NAMES_USER);

/** Lower case, without port and trailing dot: one spelling per host. */
export const normaliseHost = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/:\d{1,5}$/, "")
    .replace(/\.$/, "");

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export const isHostName = (host: string): boolean =>
  host.length <= 253 && host.split(".").every((label) => LABEL.test(label));
