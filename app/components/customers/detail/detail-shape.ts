// The parts of the result of `readCustomer`, by card.
import type {
  OrdersPart,
  readCustomer,
  SystemState,
} from "../../../domain/merchant/customer-screen.ts";

type Customer = NonNullable<Awaited<ReturnType<typeof readCustomer>>>;
export type CustomerView = Customer["customer"];
export type LinkView = Customer["links"][number];
export type ConsentView = Customer["consents"][number];
export type RecordView = Customer["timeline"][number];
export type AccessView = Customer["accesses"][number];
export type TagView = Customer["tags"][number];
export type SystemView = SystemState;
export type OrdersView = OrdersPart;
