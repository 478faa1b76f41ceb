/**
 * The label of a name, or the name itself when it has none: outside systems have names of their
 * own.
 */
export const labelOf = (labels: object, name: string): string =>
  Object.hasOwn(labels, name) ? String(labels[name as keyof typeof labels]) : name;
