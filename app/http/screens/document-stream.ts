// The stream that a document is rendered into.
import { Transform } from "node:stream";

/**
 * Leaves out null bytes. React 18 writes some where a letter of several bytes does not fit into the rest
 * of its buffer (facebook/react#24985), and a browser shows each as a replacement character.
 */
export const createDocumentStream = (): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      done(null, chunk.includes(0) ? chunk.filter((byte) => byte !== 0) : chunk);
    },
  });
