/**
 * What is typed into a search, without case and accents, as the database folds what is searched
 * (`customer_search_text`).
 */
export const foldText = (typed: string): string =>
  typed
    .replace(/\p{Cs}/gu, "")
    .replaceAll("\u0000", "")
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .replaceAll("ς", "σ");
