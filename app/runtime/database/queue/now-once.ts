/**
 * The database's time as SQL, read once in a statement, so that an index is searched for the rows that are due.
 * With `clock_timestamp()` itself, which may change from row to row, every row that is due later is read too.
 */
export const NOW_ONCE = "(SELECT clock_timestamp())";
