// What a bulk run is asked to do.
import { z } from "zod";
import { defineTag } from "../../tags/catalog.ts";
import { CustomerSelection } from "./selection.ts";

const MAX_TAGS = 10;

/** Names or slugs: a tag that the run creates keeps the name that the merchant typed. */
const tagNames = z
  .array(
    z
      .string()
      .max(200)
      .refine((name) => defineTag(name).slug !== "", "must hold a letter a-z or a digit"),
  )
  .max(MAX_TAGS)
  .default([]);
/** The id of one confirmation: the same id sent again starts no second run. */
const request_id = z.uuid().optional();
const slugsOf = (names: readonly string[]): string[] => names.map((name) => defineTag(name).slug);
export const TagRunInput = z
  .object({ selection: CustomerSelection, add: tagNames, remove: tagNames, request_id })
  .refine(({ add, remove }) => add.length + remove.length > 0, {
    message: "name a tag",
    path: ["add"],
  })
  .refine(({ add, remove }) => !slugsOf(add).some((slug) => slugsOf(remove).includes(slug)), {
    message: "a tag cannot be added and removed at once",
    path: ["add"],
  });
export type TagRunInput = z.output<typeof TagRunInput>;

export const CUSTOMER_ACTION_NAMES = ["suspend", "reactivate", "data_request", "erase"] as const;
export type CustomerAction = (typeof CUSTOMER_ACTION_NAMES)[number];
export const ActionRunInput = z
  .object({
    kind: z.enum([...CUSTOMER_ACTION_NAMES, "profile"]),
    selection: CustomerSelection,
    /** For an erasure: the number of customers, typed by the merchant. */
    typed: z.string().max(40).optional(),
    request_id,
  })
  .refine(({ kind, selection }) => kind !== "profile" || "segment" in selection, {
    message: "must name a segment",
    path: ["selection"],
  });
export type ActionRunInput = z.output<typeof ActionRunInput>;
