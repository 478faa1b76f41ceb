// Which statements a piece of work sends, and how PostgreSQL plans them.
import pg from "pg";
import { vi } from "vitest";

export type PlanNode = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  /** Of one loop. */
  "Total Cost": number;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  Plans?: PlanNode[];
};

type Recorded = { text: string; values: readonly unknown[] };

/** Every statement that this process sends while the work is done, in order. */
export async function recordStatements(work: () => Promise<unknown>): Promise<Recorded[]> {
  const asked = vi.spyOn(pg.Client.prototype, "query");
  try {
    await work();
    return asked.mock.calls.map(([first, second]) => {
      const call = first as unknown as string | { text: string; values?: unknown[] };
      return typeof call === "string"
        ? { text: call, values: Array.isArray(second) ? second : [] }
        : { text: call.text, values: call.values ?? [] };
    });
  } finally {
    asked.mockRestore();
  }
}

/**
 * The plan for any values, as a prepared statement gets it, where reading a whole table costs a hundred times as much: a
 * table that is read nevertheless has no index for it. The statement is not run.
 */
export const planOfLargeTables = async (url: string, text: string): Promise<PlanNode> =>
  explain(url, { text: `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`, values: [] }, 100);

/** What an index costs that leads to few rows; a thousand rows cost more. */
export const COST_OF_FEW = 100;

/** The plan with what was read. The statement is run and rolled back. */
export const executedPlanOf = async (url: string, { text, values }: Recorded): Promise<PlanNode> =>
  explain(url, { text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values }, 1);

async function explain(
  url: string,
  { text, values }: Recorded,
  pageCost: number,
): Promise<PlanNode> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("BEGIN");
    await client.query(`SET LOCAL seq_page_cost = ${pageCost}`);
    const { rows } = await client.query(text, [...values]);
    await client.query("ROLLBACK");
    return rows[0]["QUERY PLAN"][0].Plan;
  } finally {
    await client.end();
  }
}

export const nodesOf = (plan: PlanNode): PlanNode[] => [
  plan,
  ...(plan.Plans ?? []).flatMap(nodesOf),
];

/** Rows of the table that an executed plan read, used or not. */
export const rowsRead = (plan: PlanNode, table: string): number =>
  nodesOf(plan)
    .filter((node) => node["Relation Name"] === table)
    .reduce(
      (sum, node) =>
        sum +
        ((node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0)) *
          (node["Actual Loops"] ?? 0),
      0,
    );
