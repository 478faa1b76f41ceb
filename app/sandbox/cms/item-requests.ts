/** The requests below a collection's `items`: which of them is live, and which names one item. */
import { methodNotAllowed, notFound } from "./errors.ts";
import { changeItems, createItems, deleteItems, listItems, publishItems } from "./items.ts";
import type { CmsPlace } from "./items.ts";
import type { LiveCalls } from "./live-calls.ts";
import type { CmsCollection, CmsState } from "./state.ts";
import { json } from "../exchange.ts";
import type { ApiResponse, Call } from "../exchange.ts";

/** `rest`: the path below `items`, such as ["live"], ["publish"], [id] and [id, "live"]. */
export function answerItems(
  state: CmsState,
  call: Call,
  collection: CmsCollection,
  rest: string[],
  liveCalls: LiveCalls,
): ApiResponse {
  const [first, second] = rest;
  const isLive = first === "live" || second === "live";
  const itemId = first === "live" || first === "publish" ? undefined : first;
  const place: CmsPlace = { state, collection, isLive };
  if (first === "publish" && call.method === "POST")
    return liveCalls.record(call, publishItems(place, call.body));
  if (itemId !== undefined && !Object.hasOwn(collection.items, itemId)) return notFound(itemId);
  const reply = answerMethod(place, call, itemId);
  return isLive && call.method !== "GET" ? liveCalls.record(call, reply) : reply;
}

function answerMethod(place: CmsPlace, call: Call, itemId: string | undefined): ApiResponse {
  switch (call.method) {
    case "GET":
      return itemId === undefined
        ? listItems(place, call.query)
        : json(200, place.collection.items[itemId]);
    case "POST":
      return itemId === undefined ? createItems(place, call.body) : methodNotAllowed();
    case "PATCH":
      return changeItems(place, call.body, itemId);
    case "DELETE":
      return deleteItems(place, call.body, itemId);
    default:
      return methodNotAllowed();
  }
}
