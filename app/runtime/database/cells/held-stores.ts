// The stores that a cell's workers leave alone, because they are moving (domain/tenants/moves). For statements
// that serve all stores of a database.

/**
 * A condition: the shop is not held here. The array is read once per statement, by an index that is nearly
 * always empty, and leaves the statement's own plan as it is.
 */
export const isNotHeld = (column: string): string =>
  `${column} <> ALL (ARRAY(SELECT h.shop FROM held_stores h WHERE h.is_held))`;

/** The same, and of a store that leaves: what its workers began is still settled here. */
export const isAtHome = (column: string): string =>
  `${column} <> ALL (ARRAY(SELECT h.shop FROM held_stores h WHERE h.is_held AND h.role <> 'leaving'))`;
