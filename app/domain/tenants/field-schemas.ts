// Shapes that fields of a store's and of the platform's configuration share.
import { z } from "zod";
import { MIN_SECRET_LENGTH } from "../../runtime/settings.ts";

export const text = (max = 2_000) => z.string().trim().min(1).max(max);
export const secretText = text(8_000);
export const inboundSecret = (max = 8_000) =>
  z
    .string()
    .trim()
    .min(MIN_SECRET_LENGTH, `must be at least ${MIN_SECRET_LENGTH} characters`)
    .max(max);
export const origin = z.url({ protocol: /^https?$/ }).transform((value) => new URL(value).origin);
export const link = z.url({ protocol: /^https?$/ }).max(2_000);
export const storeUrl = z
  .string()
  .regex(/^(https?:\/\/|s3:\/\/|file:)/, "must be an https://, s3:// or file: address")
  .max(2_000);
