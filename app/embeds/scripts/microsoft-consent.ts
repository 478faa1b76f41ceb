// Sends Microsoft's tags the consent signals that Google's get. In the EEA, the United Kingdom and Switzerland, Advertising (UET) since
// May 2025 and Clarity since October 2025 work only with a consent of their own. The first script of a page, in stores
// that switched it on.
//
// It follows the consent updates in the page's data layer, so that a choice, a region's rule and the browser's signal
// count here as they do there.

type Word = "granted" | "denied";
type Signals = { ad_storage?: Word; analytics_storage?: Word };
type MicrosoftWindow = Window & {
  dataLayer?: unknown[];
  /** A list of commands, until the tag has run. */
  uetq?: { push(...command: unknown[]): unknown };
  clarity?: ((...command: unknown[]) => void) & { q?: unknown[] };
};

const win = window as MicrosoftWindow;
win.uetq ||= [];
win.clarity ||= function (): void {
  const { clarity } = win;
  // As the tag's own snippet keeps them.
  // oxlint-disable-next-line prefer-rest-params
  if (clarity) (clarity.q ||= []).push(arguments);
};

let [ads, analytics]: [Word, Word] = ["denied", "denied"];
function tell(command: "default" | "update"): void {
  win.uetq?.push("consent", command, { ad_storage: ads });
  win.clarity?.("consentv2", { ad_Storage: ads, analytics_Storage: analytics });
}

function follow(entry: unknown): void {
  const [name, command, signals] = Array.from((entry ?? []) as ArrayLike<unknown>);
  if (name !== "consent" || command !== "update") return;
  const before = [ads, analytics].join();
  const { ad_storage: nextAds = ads, analytics_storage: nextAnalytics = analytics } =
    signals as Signals;
  [ads, analytics] = [nextAds, nextAnalytics];
  if ([ads, analytics].join() !== before) tell("update");
}

tell("default");
const layer = (win.dataLayer ||= []);
const { push } = layer;
layer.push = (...entries) => {
  const length = push.apply(layer, entries);
  entries.forEach(follow);
  return length;
};
