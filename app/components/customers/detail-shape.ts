// What one customer's page is shown with.
export type CustomerView = {
  id: number;
  email: string | null;
  name: string | null;
  status: string;
  provider: string;
  country: string | null;
  language: string | null;
  isVerified: boolean;
  orders: number;
  spent: number;
  gid: string | null;
  lastSignIn: string | null;
  updatedAt: string;
  hasPassword: boolean;
  erasureWord: string;
  canBeErased: boolean;
  adminUrl: string | null;
};
export type LinkView = { provider: string; issuer: string; since: string };
export type ConsentView = {
  type: string;
  isGiven: boolean;
  decision: { action: string; method: string; version: string | null; at: string } | null;
};
export type RecordView = {
  id: number;
  type: string;
  action: string;
  method: string;
  version: string | null;
  at: string;
};
export type TagView = { slug: string; name: string; category: string; source: string; at: string };
export type SystemView = {
  channel: string;
  isOn: boolean;
  status: "none" | "delivered" | "waiting" | "dead";
  at: string | null;
  httpStatus: number | null;
  reason: string | null;
};
type OrderView = {
  id: string;
  name: string;
  created_at: string;
  financial_status: string | null;
  fulfillment_status: string;
  total: { amount: string; currency: string };
  line_item_count: number;
};
export type OrdersView =
  { state: "known"; orders: OrderView[] } | { state: "none" } | { state: "unavailable" };
