// The lists of a bucket, page by page.
import type { ListObjectsV2CommandOutput } from "@aws-sdk/client-s3";
import type { BucketClient } from "./bucket-client.ts";

/**
 * The paths of the objects that begin with `prefix`, a page at a time. What is listed may be deleted: a bucket
 * that ignores the prefix must not cost another store its objects.
 */
export async function* listPaths(client: BucketClient, prefix: string): AsyncGenerator<string[]> {
  const begin = client.keyOf(prefix);
  for await (const { Contents } of listPages(client, prefix))
    yield (Contents ?? []).flatMap(({ Key }) => (Key?.startsWith(begin) ? client.pathOf(Key) : []));
}

/** The names of the folders directly below `prefix`. */
export async function listFolders(client: BucketClient, prefix: string): Promise<string[]> {
  const begin = client.keyOf(prefix);
  const names: string[] = [];
  for await (const { CommonPrefixes } of listPages(client, prefix, "/"))
    for (const { Prefix } of CommonPrefixes ?? [])
      if (Prefix?.startsWith(begin)) names.push(Prefix.slice(begin.length, -1));
  return names;
}

async function* listPages(
  client: BucketClient,
  prefix: string,
  delimiter?: string,
): AsyncGenerator<ListObjectsV2CommandOutput> {
  for (let token: string | undefined; ;) {
    const page = await readPage(client, prefix, token, delimiter);
    yield page;
    token = page.NextContinuationToken;
    if (!token) return;
  }
}

async function readPage(
  { bucket, keyOf, limits, within }: BucketClient,
  prefix: string,
  token: string | undefined,
  delimiter: string | undefined,
): Promise<ListObjectsV2CommandOutput> {
  const page = await within(limits.operationMs, ({ sdk, s3, options }) =>
    s3.send(
      new sdk.ListObjectsV2Command({
        Bucket: bucket,
        Prefix: keyOf(prefix),
        ...(delimiter && { Delimiter: delimiter }),
        ...(token && { ContinuationToken: token }),
      }),
      options,
    ),
  );
  const { IsTruncated: isCut, NextContinuationToken: next } = page;
  // A page of a proxy has neither; taken for an empty list it would look as if the objects had been deleted.
  if (isCut === undefined || (isCut && (next === undefined || next === token)))
    throw new Error("the response is no list of a bucket");
  return page;
}
