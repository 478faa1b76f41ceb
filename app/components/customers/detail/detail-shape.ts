// The parts of the result of `readCustomer`, by card.
import type { readCustomer } from "../../../domain/merchant/customer-screen.ts";
import type { OrdersPart } from "../../../domain/merchant/customer/orders.ts";
import type { SystemState } from "../../../domain/merchant/customer/systems.ts";
import type { Timeline, TimelineItem } from "../../../domain/merchant/customer/timeline.ts";

export type CustomerDetail = NonNullable<Awaited<ReturnType<typeof readCustomer>>>;
export type CustomerView = CustomerDetail["customer"];
export type ConsentView = CustomerDetail["consents"][number];
export type SubscriptionView = CustomerDetail["subscriptions"][number];
export type LinkView = CustomerDetail["related"]["links"][number];
export type TagView = CustomerDetail["related"]["tags"][number];
export type AgentView = CustomerDetail["related"]["agents"][number];
export type MandateView = CustomerDetail["related"]["mandates"][number];
export type SystemView = SystemState;
export type OrdersView = OrdersPart;
export type TimelineView = Timeline;
export type TimelineItemView = TimelineItem;
