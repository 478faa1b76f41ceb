// File downloads of a screen, streamed with backpressure: a slow reader slows the table's reads,
// and a closed connection ends them.
const HEADERS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
const asAttachment = (name: string) => `attachment; filename="${name.replace(/[^\w.-]/g, "_")}"`;

export function streamFile(
  name: string,
  contentType: string,
  parts: AsyncGenerator<string>,
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
  return new Response(body, {
    headers: { ...HEADERS, "Content-Type": contentType, "Content-Disposition": asAttachment(name) },
  });
}

export function jsonFile(name: string, document: object): Response {
  return new Response(JSON.stringify(document, null, 2), {
    headers: {
      ...HEADERS,
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": asAttachment(name),
    },
  });
}
