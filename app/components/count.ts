import type { Words } from "./words.tsx";

const GROUPED: Words<string> = { en: ",", es: ".", fr: "\u202f" };

/** A whole number as the reader writes it, the same on the server and in every browser. */
export const formatCount = (locale: keyof typeof GROUPED, count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, GROUPED[locale]);
