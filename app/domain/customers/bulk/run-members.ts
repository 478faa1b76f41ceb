// Whom a bulk run means. Their ids are kept until it ends: customers who come to match its filter while it
// waits or runs are not changed. The database deletes them when the run ends (`tag_runs_forget_members`).
import { z } from "zod";
import type { Condition } from "../list/filter-condition.ts";
import { Audience } from "../segments/profile-audience.ts";

/**
 * What a run with kept members stores, encrypted, in place of a selection. A run of an earlier version has
 * a selection and no members. A worker of an earlier version fails on a run of this one: it must not read
 * the filter again.
 */
export const MembersKept = z.strictObject({ audience: Audience.nullable() });
export type MembersKept = z.output<typeof MembersKept>;

/** Over `storefront_users u`; values from `$<first>`. Reads no member up to `position` again. */
export const membersOf = (runId: string, position: number, first: number): Condition => ({
  sql: `u.shop = $1 AND u.id IN (SELECT user_id FROM tag_run_members
    WHERE shop = $1 AND run_id = $${first}::uuid AND user_id > $${first + 1}::int)`,
  values: [runId, position],
});
