/**
 * SQL of a query's rows as one JSON array, for a statement that reads several lists at once. Times and
 * decimals come as JSON has them: times as texts.
 */
export const jsonList = (query: string): string =>
  `(SELECT coalesce(json_agg(part), '[]') FROM (${query}) AS part)`;
