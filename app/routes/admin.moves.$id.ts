import { z } from "zod";
import { cancelMove, getMove } from "../domain/tenants/moves/move-record.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { StoreMove } from "../http/openapi/results/operation.ts";
import { AppError } from "../runtime/errors.ts";

const idOf = (text: string | undefined): string => {
  const id = z.uuid().safeParse(text);
  if (!id.success) throw new AppError("not_found", { message: "There is no such move." });
  return id.data;
};

export const { loader, action, route } = endpoint({
  GET: {
    summary: "How far a store's move is.",
    auth: "platform",
    tenant: "none",
    result: StoreMove,
    handle: ({ ctx, params }) => getMove(ctx, idOf(params.id)),
  },
  DELETE: {
    summary: "Cancels a move: the store stays in its cell.",
    auth: "platform",
    tenant: "none",
    answers: {
      202: "It is cancelled at its next step; `state` says when it is.",
      409: "It has ended, or the store is in the new cell already.",
    },
    result: { 202: StoreMove },
    handle: async ({ ctx, params }) => json(202, await cancelMove(ctx, idOf(params.id))),
  },
});
