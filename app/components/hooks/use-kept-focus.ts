// When a control goes away while it has the focus, as the button of a row that its action removes, the focus moves
// to what is beside it. A screen reader would start again at the top of the page.
import { useEffect, type RefObject } from "react";

const CONTROLS =
  'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"]';

/** An element as it was when the focus came into it. */
type Place = { element: Element; next: Element | null; previous: Element | null };

export function useKeptFocus(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let places: Place[] = [];
    const remember = ({ target }: FocusEvent) => {
      places = content.current ? collectPlaces(target as Element, content.current) : [];
    };
    const keep = () => {
      if (isLost(places, content.current)) findNear(places)?.focus();
    };
    // What puts the focus itself after a change, as a closing dialog, comes first.
    const observer = new MutationObserver(() => {
      if (isLost(places, content.current)) requestAnimationFrame(() => requestAnimationFrame(keep));
    });
    document.addEventListener("focusin", remember);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener("focusin", remember);
      observer.disconnect();
    };
  }, [content]);
}

/** From the control outwards; what is in a menu is inside the menu's button. None outside of the content. */
function collectPlaces(control: Element, content: Element): Place[] {
  const places: Place[] = [];
  for (
    let at: Element | null = control;
    at && at !== content;
    at = buttonOf(at) ?? at.parentElement
  )
    places.push({ element: at, next: at.nextElementSibling, previous: at.previousElementSibling });
  return places.at(-1)?.element.parentElement === content ? places : [];
}

const buttonOf = ({ id }: Element): Element | null =>
  id ? document.querySelector(`[aria-controls="${CSS.escape(id)}"]`) : null;

/** False when the whole content is gone, because the next screen sets the focus itself. */
const isLost = (places: readonly Place[], content: Element | null): boolean =>
  document.activeElement === document.body &&
  content?.isConnected === true &&
  places[0]?.element.isConnected === false;

/** The next control, else the one before, else what was around it. */
function findNear(places: readonly Place[]): HTMLElement | null {
  const left = places.findIndex(({ element }) => element.isConnected);
  const around = places[left]?.element;
  const gone = places[left - 1] ?? places.at(-1);
  if (around?.matches(CONTROLS)) return around as HTMLElement;
  return controlsIn(gone?.next)[0] ?? controlsIn(gone?.previous).at(-1) ?? textAround(around);
}

function controlsIn(element: Element | null | undefined): HTMLElement[] {
  if (!element?.isConnected) return [];
  const all = [element, ...element.querySelectorAll(CONTROLS)] as HTMLElement[];
  return all.filter((one) => one.matches(CONTROLS) && one.checkVisibility());
}

function textAround(element: Element | undefined): HTMLElement | null {
  let place = element as HTMLElement | null | undefined;
  while (place && place.innerText.trim() === "") place = place.parentElement;
  if (!place) return null;
  place.tabIndex = -1;
  return place;
}
