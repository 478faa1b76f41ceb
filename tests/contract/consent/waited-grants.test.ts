// A grant that waited in one browser while the person refused in another: the refusal holds.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  consentsOf,
  expectAgreement,
  inShort,
  logOfVisitor,
  saidLater,
  signUp,
  startConsentService,
  syncAnonymous,
  syncAs,
  tamper,
  type ConsentService,
  type Person,
} from "../../support/consent.ts";
import { OTHER_SHOP } from "../../support/service.ts";

let service: ConsentService;
beforeAll(async () => {
  service = await startConsentService();
});
afterAll(() => service.stop());

const HOUR = 3_600;
const GRANT = { consent_cookie: true, consent_marketing: true };
const REFUSAL = { consent_cookie: false, consent_marketing: false };
const refuse = (person: Person) => syncAs(service, person, REFUSAL);
/** Runs `work` while the person's refusal is older by this interval; then the log is as it was. */
async function whileOlder(person: Person, interval: string, work: () => Promise<void>) {
  const rows = await service.database.query("SELECT id FROM consent_records WHERE user_id = $1", [
    person.id,
  ]);
  const move = (sign: "-" | "+") =>
    tamper(
      service,
      `UPDATE consent_records SET created_at = created_at ${sign} interval '${interval}'
        WHERE id IN (${rows.map(({ id }) => id).join()})`,
    );
  await move("-");
  await work();
  await move("+");
}
const log = async (person: Person) => inShort(await saidLater(service, person));

describe("a grant that waited", () => {
  it("is ignored where the person refused meanwhile, and the answer says so", async () => {
    const ada = await signUp(service);
    await refuse(ada);
    const body = { ...GRANT, waited_seconds: HOUR, consent_id: "waited" };
    for (const _ of ["first", "repeated"]) {
      const { status, json } = await syncAs(service, ada, body);
      expect([status, json]).toEqual([
        200,
        {
          ok: true,
          consent_id: "waited",
          recorded: [],
          ignored: ["cookie", "marketing"],
          pending_confirmation: false,
        },
      ]);
    }
    expect(await consentsOf(service, ada)).toMatchObject({ cookie: false, marketing: false });
    expect(await log(ada)).toEqual(["cookie revoked", "marketing revoked"]);
    await expectAgreement(service);
  });

  it("is ignored only for what was refused, and records the rest of the request", async () => {
    const ada = await signUp(service);
    await syncAs(service, ada, { consent_marketing: false });
    const { json } = await syncAs(service, ada, {
      ...GRANT,
      method: "newsletter_form",
      form_type: "newsletter",
      email: ada.email,
      waited_seconds: HOUR,
    });
    expect([inShort(json.recorded), json.ignored]).toEqual([
      ["cookie granted", "newsletter granted"],
      ["marketing"],
    ]);
    await expectAgreement(service);
  });

  it("counts where it was made after the refusal, also by its person's first decision", async () => {
    const [ada, bob] = [await signUp(service), await signUp(service)];
    await refuse(ada);
    await whileOlder(ada, "2 hours", async () => {
      for (const person of [ada, bob]) {
        const { json } = await syncAs(service, person, { ...GRANT, waited_seconds: HOUR });
        expect([inShort(json.recorded), json.ignored]).toEqual([
          ["cookie granted", "marketing granted"],
          undefined,
        ]);
      }
    });
  });

  it("counts after a refusal that was taken back since", async () => {
    const ada = await signUp(service);
    await refuse(ada);
    await syncAs(service, ada, GRANT);
    const { json } = await syncAs(service, ada, { ...GRANT, waited_seconds: HOUR });
    expect([json.recorded, json.ignored]).toEqual([[], undefined]);
    expect(await consentsOf(service, ada)).toMatchObject({ cookie: true, marketing: true });
  });

  it.each([
    ["that does not say how long", undefined],
    ["of some minutes", 300],
    ["that a moved clock made negative", -HOUR],
  ])("(a wait %s) counts as made now", async (_, waited) => {
    const ada = await signUp(service);
    await refuse(ada);
    const { json } = await syncAs(service, ada, { ...GRANT, waited_seconds: waited });
    expect([inShort(json.recorded), json.ignored]).toEqual([
      ["cookie granted", "marketing granted"],
      undefined,
    ]);
  });

  it("waits 30 days at most, however long it says", async () => {
    const ada = await signUp(service);
    await refuse(ada);
    await whileOlder(ada, "31 days", async () => {
      const { json } = await syncAs(service, ada, { ...GRANT, waited_seconds: 1e300 });
      expect(json.recorded).toHaveLength(2);
    });
  });

  it("is invalid with a wait that is no number", async () => {
    const ada = await signUp(service);
    const { status, json } = await syncAs(service, ada, { ...GRANT, waited_seconds: "3600" });
    expect([status, Object.keys(json.fields)]).toEqual([400, ["waited_seconds"]]);
  });

  it("of a form is ignored where the person withdrew the form's consent meanwhile", async () => {
    const ada = await signUp(service);
    const form = { method: "newsletter_form", form_type: "newsletter" };
    await syncAs(service, ada, form);
    await syncAs(service, ada, { ...form, form_consent: false });
    const { json } = await syncAs(service, ada, { ...form, waited_seconds: HOUR });
    expect([json.recorded, json.ignored]).toEqual([[], ["newsletter"]]);
    expect(await log(ada)).toEqual(["newsletter granted", "newsletter revoked"]);
  });

  it("of a visitor is ignored where that browser refused meanwhile, and no other's", async () => {
    const say = (visitor: string, body: object) =>
      syncAnonymous(service, { ...body, visitor_id: visitor });
    await say("waited-1", REFUSAL);
    const ignored = await say("waited-1", { ...GRANT, waited_seconds: HOUR });
    const counted = await say("waited-2", { ...GRANT, waited_seconds: HOUR });
    expect([ignored.json.ignored, counted.json.ignored]).toEqual([
      ["cookie", "marketing"],
      undefined,
    ]);
    expect(inShort(await logOfVisitor(service, "waited-1"))).toEqual([
      "cookie revoked",
      "marketing revoked",
    ]);
    expect(await logOfVisitor(service, "waited-2")).toHaveLength(2);
  });

  it("counts where the same visitor refused in another store", async () => {
    await syncAnonymous(service, { ...REFUSAL, visitor_id: "of-two-stores" }, { shop: OTHER_SHOP });
    const { json } = await syncAnonymous(service, {
      ...GRANT,
      visitor_id: "of-two-stores",
      waited_seconds: HOUR,
    });
    expect(inShort(json.recorded)).toEqual(["cookie granted", "marketing granted"]);
  });
});

it("a refusal counts however long it waited", async () => {
  const ada = await signUp(service);
  await syncAs(service, ada, GRANT);
  const { json } = await syncAs(service, ada, { ...REFUSAL, waited_seconds: 20 * 86_400 });
  expect(inShort(json.recorded)).toEqual(["cookie revoked", "marketing revoked"]);
});

it("a grant that waited never stands after a refusal that arrives at the same moment", async () => {
  const ada = await signUp(service);
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      syncAs(service, ada, index % 2 ? REFUSAL : { ...GRANT, waited_seconds: HOUR }),
    ),
  );
  expect(await consentsOf(service, ada)).toMatchObject({ cookie: false, marketing: false });
  expect((await log(ada)).slice(-2)).toEqual(["cookie revoked", "marketing revoked"]);
});
