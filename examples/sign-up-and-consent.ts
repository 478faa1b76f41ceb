// A shopper signs up, changes a consent, and reads the record of it.
import { connect, expectData } from "./client/client.ts";

const store = connect();
const session = expectData(
  await store.POST("/auth/signup", {
    body: {
      email: `ada-${Date.now()}@example.com`,
      password: "correct horse battery staple",
      first_name: "Ada",
      last_name: "Lovelace",
      consent_tos: true,
      consent_privacy: true,
    },
  }),
);
if (!("token" in session)) throw new Error("the store verifies addresses first");
console.log(`Signed up as ${session.user.email}, number ${session.user.id}.`);

const shopper = connect(session.token);
const change = expectData(
  await shopper.POST("/auth/consent-sync", {
    body: { consent_marketing: true, method: "compliance-page" },
  }),
);
console.log("Recorded:", change.recorded);

const { consents } = expectData(await shopper.GET("/auth/me"));
console.log("Consents now:", consents);

const receipt = expectData(
  await shopper.GET("/ucp/consent-receipt/{consent_id}", {
    params: { path: { consent_id: change.consent_id } },
  }),
);
console.log(`Receipt ${receipt.consentReceiptID} of ${receipt.consentTimestamp}.`);
