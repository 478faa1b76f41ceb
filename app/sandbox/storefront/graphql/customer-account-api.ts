/**
 * The Customer Account API's `customer` query. The access token stands in Authorization, without
 * "Bearer".
 */
import { buildSchema, graphql } from "graphql";
import { fieldsOf, json, textOf } from "../../exchange.ts";
import type { Call, ApiResponse } from "../../exchange.ts";
import type { Customer } from "../state.ts";

const SCHEMA = buildSchema(`
  type Query { customer: Customer! }
  type Customer { id: ID! firstName: String lastName: String displayName: String! emailAddress: CustomerEmailAddress phoneNumber: CustomerPhoneNumber tags: [String!]! }
  type CustomerEmailAddress { emailAddress: String }
  type CustomerPhoneNumber { phoneNumber: String! }
`);

export async function answerCustomerGraphql(
  call: Call,
  findCustomer: (accessToken: string) => Customer | undefined,
): Promise<ApiResponse> {
  const customer = findCustomer(call.headers.authorization ?? "");
  if (call.method !== "POST") return json(405, { errors: [{ message: "Use POST" }] });
  if (!customer) return json(401, { errors: [{ message: "Unauthorized" }] });
  const { query, variables } = fieldsOf(call.body);
  const { gid: id, firstName, lastName, email, phone, tags } = customer;
  const displayName = [firstName, lastName].filter(Boolean).join(" ") || (email ?? phone ?? "");
  const shown = {
    id,
    firstName,
    lastName,
    displayName,
    tags,
    emailAddress: email === null ? null : { emailAddress: email },
    phoneNumber: phone === null ? null : { phoneNumber: phone },
  };
  const result = await graphql({
    schema: SCHEMA,
    source: textOf(query),
    variableValues: fieldsOf(variables),
    rootValue: { customer: shown },
  });
  return json(200, result);
}
