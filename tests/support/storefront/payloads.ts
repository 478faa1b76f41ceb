// The storefront's own sample payloads of customers/update as raw bytes: ids above 2^53 must survive, so
// nothing here uses JSON.parse.

/** API version 2026-07: no tags, consents or totals. */
export const CUSTOMER_2026_07 = `{"id":706405506930370084,"created_at":"2021-12-31T19:00:00-05:00","updated_at":"2021-12-31T19:00:00-05:00","first_name":"Bob","last_name":"Biller","state":"disabled","note":"This customer loves ice cream","verified_email":true,"multipass_identifier":null,"tax_exempt":false,"email":"bob@biller.com","phone":null,"currency":"USD","addresses":[],"tax_exemptions":[],"admin_graphql_api_id":"gid://shopify/Customer/706405506930370084","default_address":{"id":12321,"customer_id":706405506930370084,"first_name":"Bob","last_name":"Biller","company":null,"address1":"151 O'Connor Street","address2":null,"city":"Ottawa","province":"ON","country":"CA","zip":"K2P 2L8","phone":"555-555-5555","name":"Bob Biller","province_code":"ON","country_code":"CA","country_name":"CA","default":true}}`;

/** API version 2024-10: with all of them. */
export const CUSTOMER_2024_10 = CUSTOMER_2026_07.replace(
  '"state":"disabled"',
  '"state":"disabled","orders_count":1,"total_spent":"100.00","last_order_id":820982911946154500,"last_order_name":"#9999","tags":"vip, ice cream","email_marketing_consent":{"state":"subscribed","opt_in_level":"single_opt_in","consent_updated_at":null},"sms_marketing_consent":null',
);

export const GID = "gid://shopify/Customer/706405506930370084";

/** The sample with other values at the top level; `values` are raw JSON. */
export function customerPayload(values: Record<string, string>, base = CUSTOMER_2024_10): string {
  let raw = base;
  for (const [name, value] of Object.entries(values)) {
    const pattern = new RegExp(`"${name}":("[^"]*"|[0-9.]+|null|true|false)`);
    raw = pattern.test(raw)
      ? raw.replace(pattern, () => `"${name}":${value}`)
      : raw.replace(/^\{/, () => `{"${name}":${value},`);
  }
  return raw;
}
