// Files that a screen hands to the browser. Written as the browser reads: a slow reader slows the reading of the table, and
// one that leaves ends it.
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
