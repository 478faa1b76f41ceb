// The account page: sign in, sign up, request a new password, and the signed-in profile.
import { followSignUp } from "./browser-choice.ts";
import { button, el, isolated, announce, failedView, show, type Child } from "./elements.ts";
import { checkbox, field, form, type Fault } from "./forms.ts";
import { DATA, WORDS } from "./page-data.ts";
import {
  restoreSession,
  postWithoutSession,
  startSession,
  findProfile,
  storeVerifier,
  signOut,
  onSessionHandoff,
  onSessionOver,
  signInAddress,
  type Answer,
  type Profile,
} from "./session.ts";

const emailField = (value = "") =>
  field("email", WORDS.email, {
    type: "email",
    autocomplete: "username",
    required: true,
    maxlength: "320",
    value,
  });

/** A view of this page: one card. */
const showCard = (view: Child[], options: { focus: boolean }): void =>
  show([el("div", { class: "card" }, ...view)], options);

/** The same message whether the address or the password is wrong. */
function faultOf({ status, code, fields }: Answer): Fault {
  if (code === "invalid_credentials") return { text: WORDS.wrong };
  if (code === "account_suspended") return { text: WORDS.suspended };
  if (code === "email_unverified") return { text: WORDS.unverified };
  if (code === "email_taken") return { text: WORDS.taken, fields: { email: WORDS.taken } };
  if (code === "consent_required") return { text: WORDS.consentNeeded };
  if (status === 429 || code === "busy") return { text: WORDS.busy };
  const reasons: Record<string, string> = { email: WORDS.badEmail, password: WORDS.badPassword };
  const wrong = Object.keys(fields).map((name) => [name, reasons[name] ?? WORDS.badValue]);
  return wrong.length > 0
    ? { text: WORDS.checkFields, fields: Object.fromEntries(wrong) as Record<string, string> }
    : { text: WORDS.failed };
}

const elsewhere = (): Child[] =>
  DATA.links.elsewhere.length === 0
    ? []
    : [
        el("p", { class: "or" }, WORDS.or),
        el(
          "ul",
          { class: "ways" },
          ...DATA.links.elsewhere.map(({ name, href }) =>
            el(
              "li",
              {},
              el(
                "a",
                {
                  class: `button plain wide mark ${name}`,
                  href: signInAddress(href),
                  target: "_top",
                  click: storeVerifier,
                },
                WORDS[name],
              ),
            ),
          ),
        ),
      ];

function signedInCustomer(): Child {
  return (
    DATA.customer &&
    el(
      "p",
      {},
      WORDS.knownCustomer,
      " ",
      el("a", { href: DATA.links.dashboard }, WORDS.toDashboard),
    )
  );
}

function signInView({ focus, email = "" }: { focus: boolean; email?: string }): void {
  const fields = {
    email: emailField(email),
    password: field("password", WORDS.password, {
      type: "password",
      autocomplete: "current-password",
      required: true,
      maxlength: "128",
    }),
  };
  const act = async (): Promise<Fault | null> => {
    const answer = await postWithoutSession("/auth/login", {
      email: fields.email.input.value,
      password: fields.password.input.value,
    });
    if (answer.status !== 200) {
      fields.password.input.value = "";
      return faultOf(answer);
    }
    await startSession(answer);
    await openProfile({ focus: true });
    return null;
  };
  showCard(
    [
      signedInCustomer(),
      el("h2", {}, WORDS.signIn),
      form(fields, WORDS.signIn, act),
      ...elsewhere(),
      el(
        "p",
        { class: "actions" },
        button(WORDS.forgot, () => forgotView(fields.email.input.value), { class: "link" }),
        button(WORDS.signUpInstead, () => signUpView(fields.email.input.value), { class: "link" }),
      ),
    ],
    { focus },
  );
}

function signUpView(email: string): void {
  announce("");
  const fields = {
    email: emailField(email),
    password: field("password", WORDS.password, {
      type: "password",
      autocomplete: "new-password",
      required: true,
      rule: WORDS.passwordRule,
      maxlength: "128",
    }),
    first_name: field("first_name", WORDS.firstName, { autocomplete: "given-name" }),
    last_name: field("last_name", WORDS.lastName, { autocomplete: "family-name" }),
    consent_tos: checkbox("consent_tos", WORDS.agreeTos, { required: true, link: DATA.termsUrl }),
    consent_privacy: checkbox("consent_privacy", WORDS.agreePrivacy, {
      required: true,
      link: DATA.privacyUrl,
    }),
    consent_marketing: checkbox("consent_marketing", WORDS.agreeMarketing),
    consent_cookie: checkbox("consent_cookie", WORDS.agreeCookie),
  };
  const text = (name: "email" | "password" | "first_name" | "last_name") =>
    fields[name].input.value;
  const ticked = (
    name: "consent_tos" | "consent_privacy" | "consent_marketing" | "consent_cookie",
  ) => fields[name].input.checked;
  const act = async (): Promise<Fault | null> => {
    const answer = await postWithoutSession("/auth/signup", {
      email: text("email"),
      password: text("password"),
      first_name: text("first_name"),
      last_name: text("last_name"),
      language_pref: DATA.locale,
      consent_tos: ticked("consent_tos"),
      consent_privacy: ticked("consent_privacy"),
      consent_marketing: ticked("consent_marketing"),
      consent_cookie: ticked("consent_cookie"),
      ...(DATA.policyVersion && { consent_version: DATA.policyVersion }),
    });
    if (answer.status === 202) {
      signInView({ focus: true, email: text("email") });
      announce(WORDS.verifySent);
      return null;
    }
    if (answer.status !== 201) return faultOf(answer);
    await startSession(answer);
    followSignUp(ticked("consent_cookie"), ticked("consent_marketing"));
    await openProfile({ focus: true });
    return null;
  };
  showCard(
    [
      el("h2", {}, WORDS.signUp),
      form(fields, WORDS.signUp, act),
      ...elsewhere(),
      el(
        "p",
        { class: "actions" },
        button(WORDS.signInInstead, () => signInView({ focus: true, email: text("email") }), {
          class: "link",
        }),
      ),
    ],
    { focus: true },
  );
}

function forgotView(email: string): void {
  announce("");
  const fields = { email: emailField(email) };
  const act = async (): Promise<Fault | null> => {
    const answer = await postWithoutSession("/auth/password/forgot", {
      email: fields.email.input.value,
    });
    if (answer.status !== 202) return faultOf(answer);
    signInView({ focus: true, email: fields.email.input.value });
    announce(WORDS.forgotSent);
    return null;
  };
  showCard(
    [
      el("h2", {}, WORDS.forgotTitle),
      el("p", {}, WORDS.forgotText),
      form(fields, WORDS.forgotSend, act),
      el(
        "p",
        { class: "actions" },
        button(
          WORDS.backToSignIn,
          () => signInView({ focus: true, email: fields.email.input.value }),
          {
            class: "plain",
          },
        ),
      ),
    ],
    { focus: true },
  );
}

function profileView({ user }: Profile, options: { focus: boolean }): void {
  const name = user.full_name && el("dt", {}, WORDS.name);
  const out = button(
    WORDS.signOut,
    async () => {
      await signOut("here");
      signInView({ focus: true });
      announce(WORDS.signedOut);
    },
    { class: "plain" },
  );
  showCard(
    [
      el("h2", {}, WORDS.profile),
      el(
        "dl",
        { class: "facts" },
        el("dt", {}, WORDS.signedInAs),
        el("dd", {}, isolated(user.email ?? user.full_name ?? "")),
        name,
        user.full_name && el("dd", {}, isolated(user.full_name)),
      ),
      !user.email_verified &&
        user.provider === "email" &&
        el("p", { class: "quiet" }, WORDS.notVerified),
      el(
        "div",
        { class: "actions" },
        el("a", { class: "button", href: DATA.links.dashboard }, WORDS.toDashboard),
        out,
      ),
    ],
    options,
  );
}

/** `reason`: announced when there is no session. A service that does not answer is no missing session. */
async function openProfile({
  focus,
  reason = "",
}: {
  focus: boolean;
  reason?: string;
}): Promise<void> {
  try {
    const profile = await findProfile();
    if (profile) return profileView(profile, { focus });
  } catch (error) {
    return show([failedView(error, () => openProfile({ focus: true, reason }))], { focus });
  }
  signInView({ focus });
  if (reason) announce(reason);
}

async function open(): Promise<void> {
  onSessionOver(() => {
    signInView({ focus: true });
    announce(WORDS.sessionOver);
  });
  try {
    const arrival = await restoreSession();
    if (arrival.outcome === "failed") {
      signInView({ focus: false });
      announce(arrival.text);
    } else
      await openProfile({
        focus: arrival.outcome === "signed_in",
        reason: arrival.outcome === "unknown" ? arrival.text : "",
      });
  } catch (error) {
    show([failedView(error, open)], { focus: false });
  }
}

void open();
onSessionHandoff(() => void openProfile({ focus: false }));
