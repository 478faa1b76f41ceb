import { toCsvLine, type CsvValue } from "./csv.ts";

type SlicedCsv<Row> = {
  /** The file's first line. */
  head: string;
  /** How many rows `readAfter` returns unless it reaches the end. */
  sliceSize: number;
  /** The rows behind this one, or the first ones. */
  readAfter(last: Row | undefined): Promise<Row[]>;
  toValues(row: Row): readonly CsvValue[];
  /** Gets the number of rows that were read, also when the download was ended before its end. */
  onEnd?(rows: number): Promise<void>;
};

/** A CSV file, a slice of lines at a time: memory does not grow with the number of rows. */
export async function* slicedCsv<Row>({
  head,
  sliceSize,
  readAfter,
  toValues,
  onEnd,
}: SlicedCsv<Row>): AsyncGenerator<string> {
  let count = 0;
  try {
    yield head;
    let slice: Row[] = [];
    do {
      slice = await readAfter(slice.at(-1));
      count += slice.length;
      if (slice.length > 0) yield slice.map((row) => toCsvLine(toValues(row))).join("");
    } while (slice.length === sliceSize);
  } finally {
    await onEnd?.(count);
  }
}
