// Tags: those set by the store are listed, those that shoppers may choose are checkboxes.
import { el, fillSection, createSection, isolated, announce, type Child } from "./elements.ts";
import { WORDS } from "./page-data.ts";
import { call, get, reasonOf } from "./session.ts";

type Tag = { slug: string; name: string; category: string };
type Listed = Tag & { self_service: boolean };

/**
 * A subscription is a consent and not an interest to choose: a box of its own would contradict the
 * switch of the consents. A tag with a date belongs to one day's form.
 */
const isSubscription = ({ slug }: Tag): boolean =>
  /_(?:(?:un)?subscribed|\d{4}_\d{2}_\d{2})$/.test(slug);

async function listCatalog(): Promise<Listed[]> {
  const all: Listed[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < 5; page += 1) {
    const { tags, next_cursor: next }: { tags: Listed[]; next_cursor: string | null } = await get(
      `/tags/catalog?limit=100${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`,
    );
    all.push(...tags);
    cursor = next;
    if (cursor === null) break;
  }
  return all;
}

function tagBox(tag: Tag, isMine: boolean): HTMLElement {
  const input = el("input", {
    type: "checkbox",
    id: `crm-tag-${tag.slug}`,
    change: () => void turn(),
  });
  input.checked = isMine;
  let last = Promise.resolve();
  /** Sends quick changes in order, each with the checkbox's latest state. */
  async function turn(): Promise<void> {
    const wanted = input.checked;
    last = last.then(async () => {
      const answer = await call("/ucp/tags", {
        method: "POST",
        body: { add: wanted ? [tag.slug] : [], remove: wanted ? [] : [tag.slug] },
      }).catch(() => null);
      if (answer?.status === 200) return announce(WORDS.saved);
      input.checked = !wanted;
      announce(answer ? reasonOf(answer) : WORDS.offline);
    });
    await last;
  }
  return el("label", { class: "check", for: `crm-tag-${tag.slug}` }, input, isolated(tag.name));
}

export function tagsSection(): HTMLElement {
  const { section, place } = createSection("tags", WORDS.tags, WORDS.tagsText);
  void fillSection(place, async (): Promise<Child[]> => {
    const [{ tags: mine }, catalog] = await Promise.all([
      get<{ tags: Tag[] }>("/tags/mine"),
      listCatalog(),
    ]);
    const assigned = new Set(mine.map(({ slug }) => slug));
    const open = catalog.filter((tag) => tag.self_service && !isSubscription(tag));
    const chosen = new Set(open.map(({ slug }) => slug));
    const given = mine.filter(({ slug }) => !chosen.has(slug));
    if (open.length === 0 && given.length === 0) return [el("p", {}, WORDS.tagsEmpty)];
    return [
      open.length > 0 &&
        el(
          "fieldset",
          {},
          el("legend", {}, WORDS.tagsOwn),
          ...open.map((tag) => tagBox(tag, assigned.has(tag.slug))),
        ),
      el("h3", {}, WORDS.tagsGiven),
      given.length === 0
        ? el("p", {}, WORDS.tagsNone)
        : el(
            "ul",
            { class: "chips" },
            ...given.map(({ name }) => el("li", { class: "pill" }, isolated(name))),
          ),
    ];
  });
  return section;
}
