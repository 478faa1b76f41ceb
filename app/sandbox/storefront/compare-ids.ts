/** Ids exceed what a JavaScript number holds: without leading zeros the shorter is the smaller. */
export const compareIds = (a: string, b: string): number => {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
};
