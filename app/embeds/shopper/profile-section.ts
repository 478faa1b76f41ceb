// Names, language and picture.
import { el, createSection, announce, labelled } from "./elements.ts";
import { field, form, type Fault } from "./forms.ts";
import { WORDS } from "./page-data.ts";
import { call, reasonOf, type Profile } from "./session.ts";

const LANGUAGES = [
  ["en", "English"],
  ["es", "Español"],
  ["fr", "Français"],
] as const;

export function profileSection({ user, linked_providers: ways }: Profile): HTMLElement {
  const { section, place } = createSection("profile", WORDS.profile);
  const fields = {
    first_name: field("first_name", WORDS.firstName, {
      autocomplete: "given-name",
      value: user.first_name ?? "",
    }),
    last_name: field("last_name", WORDS.lastName, {
      autocomplete: "family-name",
      value: user.last_name ?? "",
    }),
    avatar_url: field("avatar_url", WORDS.avatar, {
      type: "url",
      value: user.avatar_url ?? "",
      rule: WORDS.avatarRule,
      maxlength: "2000",
    }),
  };
  const known = LANGUAGES.some(([code]) => code === user.language_pref);
  const others =
    !known && user.language_pref ? [[user.language_pref, user.language_pref] as const] : [];
  const options = [...(user.language_pref ? [] : [["", "–"] as const]), ...LANGUAGES, ...others];
  const language = el(
    "select",
    { id: "crm-language_pref", autocomplete: "language" },
    ...options.map(([code, name]) =>
      el(
        "option",
        { value: code, ...(code && { lang: code }), selected: code === (user.language_pref ?? "") },
        name,
      ),
    ),
  );
  const act = async (): Promise<Fault | null> => {
    const answer = await call("/auth/profile", {
      method: "PATCH",
      body: {
        first_name: fields.first_name.input.value || null,
        last_name: fields.last_name.input.value || null,
        avatar_url: fields.avatar_url.input.value || null,
        ...(language.value && { language_pref: language.value }),
      },
    });
    if (answer.status === 200) {
      announce(WORDS.saved);
      return null;
    }
    if (Object.keys(answer.fields).length === 0) return { text: reasonOf(answer) };
    return {
      text: WORDS.checkFields,
      fields: Object.fromEntries(Object.keys(answer.fields).map((name) => [name, WORDS.badValue])),
    };
  };
  const waysIn = ways
    .map((way) => (WORDS as Record<string, string>)[`way_${way}`] ?? way)
    .join(", ");
  place.replaceChildren(
    form(fields, WORDS.save, act, {
      extra: [el("label", { for: "crm-language_pref" }, WORDS.language), language],
    }),
    el("p", { class: "quiet" }, labelled(WORDS.waysIn, waysIn)),
  );
  place.setAttribute("aria-busy", "false");
  return section;
}
