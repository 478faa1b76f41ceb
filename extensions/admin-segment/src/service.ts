// What the app's service knows of the segment, and does. The admin resolves the addresses and adds its
// session token.
export type Run = {
  id: string;
  state: "waiting" | "running" | "done" | "failed" | "cancelled";
  total: number;
  processed: number;
  changed: number;
  refused: number;
  unknown: number;
};

export type Tagging = {
  segment: { id: string; name: string; customers: number };
  tags: { slug: string; name: string }[];
  /** The newest run over this segment. */
  run: (Run & { tag: string }) | null;
};

/** Names of texts. */
export type Problem = "problem" | "storeAway" | "unauthorized" | "noSegment";
export type Answer<T> = { value: T } | { problem: Problem };

const PATH = "/extensions/admin";
const PROBLEMS: Record<number, Problem> = {
  401: "unauthorized",
  404: "noSegment",
  502: "storeAway",
};

/** Never rejects. */
async function ask<T>(path: string, options?: RequestInit): Promise<Answer<T>> {
  try {
    const response = await fetch(`${PATH}${path}`, options);
    if (!response.ok) return { problem: PROBLEMS[response.status] ?? "problem" };
    return { value: (await response.json()) as T };
  } catch {
    return { problem: "problem" };
  }
}

export const readTagging = (segmentId: string): Promise<Answer<Tagging>> =>
  ask(`/segment?id=${encodeURIComponent(segmentId)}`);

export const startRun = (segmentId: string, tag: string): Promise<Answer<{ run: Run }>> =>
  ask("/segment-runs", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ store_segment_id: segmentId, tag }),
  });

export const readRun = (id: string): Promise<Answer<{ run: Run }>> => ask(`/segment-runs/${id}`);

export const isOpen = ({ state }: Run): boolean => state === "waiting" || state === "running";
