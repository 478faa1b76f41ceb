// What the app's service says of the customer. The admin resolves the address and adds its session token.
export type Customer = {
  status: string;
  consents: { type: string; state: string; at: string | null }[];
  tags: { slug: string; name: string }[];
  store_tags: string[];
  systems: { channel: string; status: string; at: string | null }[];
  time_zone: string;
  events: { kind: string; at: string; change: string; subject: string | null }[];
  url: string;
};

export type Answer =
  { outcome: "found"; customer: Customer } | { outcome: "unknown" | "unauthorized" | "problem" };

/** Never rejects. */
export async function readCustomer(id: string): Promise<Answer> {
  try {
    const response = await fetch(`/extensions/admin/customer?id=${encodeURIComponent(id)}`);
    if (response.status === 401) return { outcome: "unauthorized" };
    if (!response.ok) return { outcome: "problem" };
    const { customer } = (await response.json()) as { customer: Customer | null };
    return customer ? { outcome: "found", customer } : { outcome: "unknown" };
  } catch {
    return { outcome: "problem" };
  }
}
