import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SHOP, startService, type Service } from "../../support/service.ts";
import {
  login,
  newEmail,
  databaseSnapshot,
  postSignUp,
  signUp,
  signUpBody,
  type Person,
} from "./people.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());

describe("an email address", () => {
  let dora: Person;
  beforeAll(async () => {
    dora = await signUp(service, { email: " Dora@EXAMPLE.com\t" });
  });

  it("is stored trimmed, in NFKC and lower case", () => {
    expect(dora.answer.json.user.email).toBe("dora@example.com");
  });

  it.each([
    ["a full-width @", "dora＠example.com"],
    ["full-width letters", "ｄｏｒａ@example.com"],
    ["mathematical letters", "𝐝𝐨𝐫𝐚@example.com"],
    ["a one-dot leader for the dot", "dora@example\u2024com"],
    ["capitals", "DORA@EXAMPLE.COM"],
  ])("with %s belongs to the same person", async (_, email) => {
    expect((await postSignUp(service, signUpBody(email))).json.code).toBe("email_taken");
    expect((await login(service, email)).status).toBe(200);
  });

  const REFUSED: [string, unknown][] = [
    ["a Cyrillic look-alike", "dоra@example.com"],
    ["a composed accent", "dor\u00e1@example.com"],
    ["the same accent decomposed", "dora\u0301@example.com"],
    ["a zero-width space", "do\u200bra@example.com"],
    ["a right-to-left override", "dora\u202e@example.com"],
    ["a dot after the domain", "dora@example.com."],
    ["a dot before the @", "dora.@example.com"],
    ["a dot at the start", ".dora@example.com"],
    ["two dots together", "do..ra@example.com"],
    ["a domain that starts with a dot", "dora@.example.com"],
    ["no domain", "dora@"],
    ["no top-level domain", "dora@localhost"],
    ["two @", "dora@evil.example@example.com"],
    ["two addresses", "dora@example.com,eve@example.com"],
    ["a display name", "Dora <dora@example.com>"],
    ["a header of its own", "dora@example.com\r\nBcc: eve@example.com"],
    ["a space inside", "do ra@example.com"],
    ["255 characters", `${"d".repeat(243)}@example.com`],
    ["10 kB", `${"d".repeat(10_000)}@example.com`],
    ["nothing", ""],
    ["a number", 5],
    ["null", null],
    ["a list", ["dora@example.com"]],
    ["an object", { $gt: "" }],
  ];

  it.each(REFUSED)(
    "with %s answers 400 with the field's name and writes nothing",
    async (_, email) => {
      const before = await databaseSnapshot(service.database);
      const answer = await postSignUp(service, signUpBody(email as string));
      expect(answer.status).toBe(400);
      expect(answer.json).toMatchObject({
        code: "invalid_request",
        fields: { email: expect.any(String) },
      });
      expect(await databaseSnapshot(service.database)).toEqual(before);
    },
  );

  it("of 254 characters is accepted", async () => {
    await signUp(service, {
      email:
        `${"d".repeat(64)}@${"x".repeat(60)}.${"y".repeat(60)}.${"z".repeat(60)}.example`.slice(
          0,
          254,
        ),
    });
  });
});

describe("other values", () => {
  it.each([
    ["email", "a\u0000b@example.com"],
    ["password", "correct\u0000horse"],
    ["first_name", "A\u0000da"],
    ["consent_version", "\u0000"],
  ])("a NUL in %s answers 400, never 5xx", async (name, value) => {
    const answer = await postSignUp(service, signUpBody(newEmail(), { [name]: value }));
    expect([answer.status, answer.json.code]).toEqual([400, "malformed_body"]);
  });

  it.each([
    ["first_name", "x".repeat(10_000)],
    ["last_name", "x".repeat(201)],
    ["consent_version", "x".repeat(81)],
    ["language_pref", "english"],
    ["first_name", 5],
    ["password", "x".repeat(10_000)],
    ["password", null],
  ])("%s that exceeds its limits answers 400 with the field's name", async (name, value) => {
    const answer = await postSignUp(service, signUpBody(newEmail(), { [name]: value }));
    expect(answer.json).toMatchObject({
      code: "invalid_request",
      fields: { [name]: expect.any(String) },
    });
  });

  it("a body over 1 MiB answers 413", async () => {
    expect(
      (await postSignUp(service, signUpBody(newEmail(), { first_name: "x".repeat(1_100_000) })))
        .status,
    ).toBe(413);
  });

  it("names in any script are stored as typed; half of a surrogate pair does not fail", async () => {
    const { answer } = await signUp(service, { first_name: " 花子 ", last_name: "O'Neill <b>" });
    expect(answer.json.user).toMatchObject({
      first_name: "花子",
      last_name: "O'Neill <b>",
      full_name: "花子 O'Neill <b>",
    });
    const half = await service.call("POST", `/auth/signup?shop=${SHOP}`, {
      key: null,
      body: JSON.stringify(signUpBody(newEmail())).replace("Ada", String.raw`\ud83d`),
    });
    expect(half.status).toBe(201);
  });

  it("a name is stored as one line that cannot turn the direction of the text after it", async () => {
    const { answer } = await signUp(service, {
      first_name: "\u202eAda\r\n=1+2\u2066",
      last_name: "\u2069 King\t\u2028Noel\n",
    });
    expect(answer.json.user).toMatchObject({
      first_name: "Ada =1+2",
      last_name: "King Noel",
      full_name: "Ada =1+2 King Noel",
    });
  });

  it("missing names are null, not empty strings", async () => {
    const { answer } = await signUp(service, { first_name: undefined, last_name: "  " });
    expect(answer.json.user).toMatchObject({ first_name: null, last_name: null, full_name: null });
  });
});

describe("a password", () => {
  it.each([
    ["7 characters", "short77"],
    ["8 that compose to 7", "passwoe\u0301"],
    ["129 characters", "x".repeat(129)],
    ["129 emoji", "😀".repeat(129)],
    ["a few that NFKC expands past 128", "\ufdfa".repeat(8)],
  ])("of %s is rejected", async (_, password) => {
    expect((await postSignUp(service, signUpBody(newEmail(), { password }))).json).toMatchObject({
      code: "invalid_request",
      fields: { password: expect.any(String) },
    });
  });

  it.each([
    ["8 emoji", "😀😁😂😃😄😅😆😇"],
    ["128 emoji", "😀".repeat(128)],
    ["4 ligatures that make 8 letters", "ﬀﬁﬂﬃ"],
    ["128 characters", "x".repeat(128)],
    ["spaces at its ends", "  a password  "],
  ])("of %s is accepted and signs in", async (_, password) => {
    const { email } = await signUp(service, { password });
    expect((await login(service, email, password)).status).toBe(200);
  });

  it.each([
    ["as it is", (email: string) => email],
    ["in capitals", (email: string) => email.toUpperCase()],
    ["with a full-width @", (email: string) => email.replace("@", "＠")],
  ])("that equals the address %s is rejected", async (_, spell) => {
    const email = newEmail("same");
    expect(
      (await postSignUp(service, signUpBody(email, { password: spell(email) }))).json,
    ).toMatchObject({ code: "invalid_request", fields: { password: expect.any(String) } });
  });

  it("in another Unicode form (NFD, full-width digits) is the same password; with other spaces it is another", async () => {
    const { email } = await signUp(service, { password: "pa\u0308ssword12 " });
    expect((await login(service, email, "p\u00e4ssword１２ ")).status).toBe(200);
    expect((await login(service, email, "p\u00e4ssword12")).status).toBe(401);
  });
});
