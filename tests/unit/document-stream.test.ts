// Documents are streamed in buffers: no letter is damaged where one ends.
import { createElement } from "react";
import { renderToPipeableStream } from "react-dom/server";
import { expect, test } from "vitest";
import { createDocumentStream } from "../../app/http/screens/document-stream.ts";

test("letters of several bytes arrive whole wherever a buffer ends", async () => {
  for (const shift of [0, 1, 2, 3]) {
    const words = Array.from({ length: 300 }, (_, at) =>
      createElement("p", { key: at }, `${"x".repeat(shift)}Conexión · año ${at}`),
    );
    const stream = createDocumentStream();
    renderToPipeableStream(createElement("main", null, words)).pipe(stream);
    const chunks = await stream.toArray();
    const html = Buffer.concat(chunks as Buffer[]).toString("utf8");
    expect(html).not.toMatch(/\0|\ufffd/);
    expect(html.match(/Conexión · año \d/g)).toHaveLength(300);
  }
});
