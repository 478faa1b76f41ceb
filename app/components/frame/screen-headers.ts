// App Bridge reads headers of error responses, so they must survive Remix's merging.
import type { HeadersFunction } from "@remix-run/node";
import { boundary } from "@shopify/shopify-app-remix/server";

export const screenHeaders: HeadersFunction = (args) => boundary.headers(args);
