// What the UI extensions use of the vendor's package, which only the Shopify CLI installs, into their folders:
// `npm run check:shopify` checks them against its own types.
import type { ComponentChildren, Key, Ref } from "preact";
import type { VENDOR_ELEMENTS } from "../../app/sandbox/ui-extensions/vendor-elements.ts";

type Tables = typeof VENDOR_ELEMENTS;
type ValueOf<V> = V extends "text"
  ? string
  : V extends "flag"
    ? boolean
    : V extends "number"
      ? number
      : V extends "event"
        ? (event: Event) => void
        : V extends readonly string[]
          ? V[number]
          : never;
type PropsOf<A> = { [N in keyof A]?: ValueOf<A[N]> | undefined } & {
  key?: Key;
  ref?: Ref<HTMLElement>;
  slot?: string;
  children?: ComponentChildren;
};
type Elements = {
  [T in keyof Tables["customerAccount"] | keyof Tables["admin"]]:
    | (T extends keyof Tables["customerAccount"] ? PropsOf<Tables["customerAccount"][T]> : never)
    | (T extends keyof Tables["admin"] ? PropsOf<Tables["admin"][T]> : never);
};

declare module "preact" {
  namespace createElement.JSX {
    // oxlint-disable-next-line typescript/no-empty-object-type -- merged into Preact's own
    interface IntrinsicElements extends Elements {}
  }
}
