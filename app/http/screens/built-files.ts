// Serves the built files of the screens.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";

const ASSETS = "/assets/";
const YEAR_SECONDS = 31_536_000;

export type ServeFile = (
  incoming: IncomingMessage,
  response: ServerResponse,
  /** Another request than for a file of the folder. */ next: () => void,
) => void;

/** `onUnreadable`: a file of the folder that was there at the start and cannot be read now. */
export async function serveBuiltFiles(
  folder: string,
  onUnreadable: (error: Error) => void,
): Promise<ServeFile> {
  const { default: sirv } = await import("sirv");
  const files = sirv(folder, {
    etag: true,
    gzip: true,
    brotli: true,
    setHeaders(response, path) {
      response.setHeader("X-Content-Type-Options", "nosniff");
      // The library's list of types lacks this one.
      if (path.endsWith(".ico")) response.setHeader("Content-Type", "image/x-icon");
      // The name of an asset contains a hash of its content.
      response.setHeader(
        "Cache-Control",
        path.startsWith(ASSETS)
          ? `public, max-age=${YEAR_SECONDS}, immutable`
          : "public, max-age=3600",
      );
    },
  });
  return (incoming, response, next) => {
    const isAsset = incoming.url?.startsWith(ASSETS);
    // The library reads the file by a stream without a listener: its error would end the process. The
    // headers are written by then, so that the connection ends instead.
    response.once("pipe", (source: Readable) =>
      source.once("error", (error) => {
        onUnreadable(error);
        response.destroy();
      }),
    );
    files(
      incoming,
      response,
      isAsset ? () => void response.writeHead(404, { "Cache-Control": "no-store" }).end() : next,
    );
  };
}
