// The sandbox's customer segments refuse what the platform refuses.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CUSTOMER_SEGMENT,
  SEGMENT_MEMBERS,
} from "../../../app/integrations/storefront/documents.ts";
import { graphql, SHOP, startTestApp, type TestApp } from "../../sandbox/sandbox-fixture.ts";

let app: TestApp;
let token: string;
let italy: string;
let france: string;
beforeAll(async () => {
  app = await startTestApp();
  const { storefront } = app.sandbox;
  for (const countryCode of ["IT", "IT", "IT", "FR"]) storefront.putCustomer(SHOP, { countryCode });
  const put = (code: string) =>
    storefront.putSegment(SHOP, { name: code, query: `customer_countries CONTAINS '${code}'` }).gid;
  [italy, france] = [put("IT"), put("FR")];
  token = storefront.install(SHOP, { scope: "read_customers" }).access_token;
});
afterAll(() => app.stop());

const members = async (variables: object, using = token) =>
  (
    await graphql(app, using, SEGMENT_MEMBERS, {
      segmentId: italy,
      first: 2,
      after: null,
      ...variables,
    })
  ).body;

describe("a segment of the sandbox", () => {
  it("names its members page by page, with ids of their own type and the number of all", async () => {
    const first = (await members({})).data.customerSegmentMembers;
    expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
    const rest = (await members({ after: first.pageInfo.endCursor })).data.customerSegmentMembers;
    expect(rest.pageInfo.hasNextPage).toBe(false);
    const ids = [...first.edges, ...rest.edges].map(({ node }: any) => node.id as string);
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => /^gid:\/\/shopify\/CustomerSegmentMember\/\d+$/.test(id))).toBe(true);
  });

  it("is refused without the scope, beyond the largest page, and with a cursor of another segment", async () => {
    const { endCursor } = (await members({})).data.customerSegmentMembers.pageInfo;
    const unscoped = app.sandbox.storefront.install(SHOP, { scope: "read_products" });
    for (const [body, message] of [
      [await members({}, unscoped.access_token), "Access denied"],
      [await members({ first: 1_001 }), "between 1 and 1000"],
      [await members({ segmentId: france, after: endCursor }), "Invalid cursor"],
      [await members({ segmentId: "gid://shopify/Segment/1" }), "does not exist"],
      [await members({ segmentId: "1" }), "Invalid global id"],
    ])
      expect([body.data ?? null, body.errors[0].message]).toEqual([
        null,
        expect.stringContaining(message),
      ]);
  });

  it("that does not exist is null", async () => {
    const { body } = await graphql(app, token, CUSTOMER_SEGMENT, {
      id: "gid://shopify/Segment/1",
    });
    expect(body.data).toEqual({ segment: null });
  });
});
