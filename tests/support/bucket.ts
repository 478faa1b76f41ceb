// A minimal S3 for the archive: one bucket in path style, objects in memory, lists in pages of three.
// On request it answers like a broken one.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";

export const PAGE = 3;
/** Longer than deadlines are inexact. */
const SLOW_MS = 300;

/**
 * How requests are answered. `silent`: not at all, also when the bucket works again. `stuck`: with a
 * status and half a body. `page`: with 200 and the page of a proxy. `down`: with 500. `slow`: after a while.
 * `circling`: a list has no end, because each page leads to itself. `exact`: with 404 also to the deletion of a
 * missing object. `curt`: the same, and without a reason. `deaf`: a list has every object, whatever its prefix.
 * `unrouted`: a gateway in front knows no bucket, `lost`: no objects, but lists them.
 */
export type BucketMood =
  | "well"
  | "silent"
  | "stuck"
  | "page"
  | "down"
  | "slow"
  | "circling"
  | "exact"
  | "curt"
  | "deaf"
  | "unrouted"
  | "lost";

export type TestBucket = {
  /** An address for `ARCHIVE_URL`. */
  url: string;
  endpoint: string;
  objects: Map<string, { body: Buffer; type: string | undefined }>;
  requests: string[];
  /** For the requests from now on. */
  feel(mood: BucketMood): void;
  mood(): BucketMood;
  stop(): void;
};

export async function startBucket(): Promise<TestBucket> {
  const objects = new Map<string, { body: Buffer; type: string | undefined }>();
  const requests: string[] = [];
  let mood: BucketMood = "well";
  const server = createServer((request, response) => void answerTo(request, response));
  async function answerTo(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? "/", "http://bucket");
    const [, bucket, ...rest] = url.pathname.split("/");
    const key = decodeURIComponent(rest.join("/"));
    requests.push(`${request.method} ${url.pathname}`);
    const felt = mood;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (felt === "silent") return;
    if (felt === "slow") await setTimeout(SLOW_MS);
    if (felt === "stuck")
      return response.writeHead(200, { "Content-Length": "1000" }).write("half a");
    if (felt === "page")
      return response.writeHead(200, { "Content-Type": "text/html" }).end("<html>Sign in</html>");
    const answer = (status: number, body: string | Buffer = "") =>
      response.writeHead(status, { "Content-Type": "application/xml" }).end(body);
    const refuse = (status: number, code: string) =>
      answer(
        status,
        `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
      );
    if (felt === "unrouted" || (felt === "lost" && key)) return answer(404);
    if (felt === "down") return refuse(500, "InternalError");
    if (!request.headers.authorization?.startsWith("AWS4-HMAC-SHA256 Credential=test-id/"))
      return refuse(403, "AccessDenied");
    if (bucket !== "crm") return refuse(404, "NoSuchBucket");
    if (request.method === "PUT")
      objects.set(key, { body: Buffer.concat(chunks), type: request.headers["content-type"] });
    const missing = () => (felt === "curt" ? answer(404) : refuse(404, "NoSuchKey"));
    if (request.method === "DELETE" && !objects.delete(key) && felt !== "well") return missing();
    if (request.method !== "GET") return answer(request.method === "DELETE" ? 204 : 200);
    if (key) {
      const object = objects.get(key);
      return object ? answer(200, object.body) : missing();
    }
    if (felt === "circling")
      return answer(
        200,
        '<?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken></ListBucketResult>',
      );
    const prefix = url.searchParams.get("prefix") ?? "";
    const after = url.searchParams.get("continuation-token") ?? "";
    const keys = [...objects.keys()]
      .filter((one) => (felt === "deaf" || one.startsWith(prefix)) && one > after)
      .sort();
    if (url.searchParams.get("delimiter") === "/") {
      const below = keys.map((one) => one.slice(prefix.length).split("/"));
      const folders = [...new Set(below.filter(({ length }) => length > 1).map(([name]) => name))];
      return answer(
        200,
        `<?xml version="1.0"?><ListBucketResult>${folders.map((name) => `<CommonPrefixes><Prefix>${prefix}${name}/</Prefix></CommonPrefixes>`).join("")}<IsTruncated>false</IsTruncated></ListBucketResult>`,
      );
    }
    const page = keys.slice(0, PAGE);
    const more =
      keys.length > PAGE
        ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${page.at(-1)}</NextContinuationToken>`
        : "<IsTruncated>false</IsTruncated>";
    return answer(
      200,
      `<?xml version="1.0"?><ListBucketResult>${page.map((one) => `<Contents><Key>${one}</Key></Contents>`).join("")}${more}</ListBucketResult>`,
    );
  }
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `s3://crm?endpoint=${endpoint}`,
    endpoint,
    objects,
    requests,
    feel: (next) => void (mood = next),
    mood: () => mood,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The keys that the bucket accepts; the SDK reads them from the environment. */
export function useBucketKeys(): void {
  process.env.AWS_ACCESS_KEY_ID = "test-id";
  process.env.AWS_SECRET_ACCESS_KEY = "test-secret";
}
