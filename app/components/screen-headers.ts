// App Bridge reads headers of refused answers, so they must survive Remix's merging.
import type { HeadersFunction } from "@remix-run/node";
import { boundary } from "@shopify/shopify-app-remix/server";

export const screenHeaders: HeadersFunction = (args) => boundary.headers(args);
