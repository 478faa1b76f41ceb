// Data export, sign-out everywhere, and account deletion.
import { button, el, createSection, announce, saveFile } from "./elements.ts";
import { checkbox, field, form, type Fault } from "./forms.ts";
import { WORDS } from "./page-data.ts";
import { call, signOut, reasonOf, type Profile } from "./session.ts";

/** `onSignedOut` is called with the text to show once there is no session any more. */
export function deleteAccountSection(
  { linked_providers: ways }: Profile,
  onSignedOut: (text: string) => void,
): HTMLElement {
  const { section, place } = createSection("leave", WORDS.leave);
  const exporting = button(
    WORDS.export,
    async () => {
      const answer = await call("/auth/me/export");
      if (answer.status !== 200) return announce(reasonOf(answer));
      saveFile("my-data.json", "application/json", answer.text);
      announce(WORDS.exportDone);
    },
    { class: "plain" },
  );
  const everywhere = button(
    WORDS.signOutEverywhere,
    async () => {
      await signOut("everywhere");
      onSignedOut(WORDS.signedOut);
    },
    { class: "plain" },
  );
  place.replaceChildren(
    el("h3", {}, WORDS.export),
    el("p", {}, WORDS.exportText),
    exporting,
    el("h3", {}, WORDS.signOutEverywhere),
    el("p", {}, WORDS.signOutEverywhereText),
    everywhere,
    el("h3", {}, WORDS.deleteAccount),
    el("p", {}, WORDS.deleteText),
    deletion(ways.includes("email"), onSignedOut),
  );
  place.setAttribute("aria-busy", "false");
  return section;
}

/** Two steps: open the form, then confirm with the password or a checkbox. */
function deletion(hasPassword: boolean, onSignedOut: (text: string) => void): HTMLElement {
  const place = el("div", { hidden: true });
  const close = (isOpen: boolean): void => {
    place.hidden = !isOpen;
    opener.setAttribute("aria-expanded", String(isOpen));
    (isOpen ? sure.input : opener).focus();
  };
  const sure = hasPassword
    ? field("delete_password", WORDS.deletePassword, {
        type: "password",
        autocomplete: "current-password",
        required: true,
        maxlength: "128",
      })
    : checkbox("delete_sure", WORDS.deleteSure, { required: true });
  const act = async (): Promise<Fault | null> => {
    const answer = await call("/auth/me", {
      method: "DELETE",
      body: hasPassword ? { password: sure.input.value } : {},
    });
    if (answer.status === 200) {
      onSignedOut(WORDS.deleted);
      return null;
    }
    sure.input.value = "";
    return answer.code === "invalid_credentials"
      ? { text: WORDS.wrongPassword, fields: { sure: WORDS.wrongPassword } }
      : { text: reasonOf(answer) };
  };
  place.append(
    form({ sure }, WORDS.deleteNow, act, {
      cancel: button(WORDS.cancel, () => close(false), { class: "plain" }),
    }),
  );
  const opener: HTMLButtonElement = button(WORDS.deleteAccount, () => close(place.hidden), {
    class: "plain",
    "aria-expanded": "false",
  });
  return el("div", {}, opener, place);
}
