// The endpoints, found in the route files: a file's name is its path (the flat-routes convention of
// Remix), its `route` export is the endpoint. Screens (.tsx) are Remix routes.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { PROXY_MOUNT } from "./auth/app-proxy.ts";
import type { Endpoint } from "./endpoint.ts";

type Route = { file: string; path: string; endpoint: Endpoint };
export type RouteTable = {
  all: readonly Route[];
  /** `isProxied`: the path is below the storefront's app proxy. */
  match(path: string): Match | null;
};
export type Match = {
  path: string;
  endpoint: Pick<Endpoint, "respond">;
  params: Record<string, string>;
  isProxied: boolean;
};

const ROUTES = new URL("../routes/", import.meta.url);

const ROUTE_FILES = readdirSync(fileURLToPath(ROUTES)).sort();
const ENDPOINT_FILES = ROUTE_FILES.filter((file) => file.endsWith(".ts"));
/**
 * First segments that belong to the API: an unknown path below them is a JSON 404, elsewhere a
 * page. Files `app.*.ts` are loaders of the screens.
 */
const API_SEGMENTS = new Set([
  PROXY_MOUNT.slice(1),
  ...ENDPOINT_FILES.map((file) => firstSegment(pathOfFile(file))).filter(
    (segment) => segment !== "app",
  ),
]);
/** First segments of the screens. */
const SCREEN_SEGMENTS = new Set(
  ROUTE_FILES.filter((file) => file.endsWith(".tsx")).flatMap(
    (file) => file.split(".").find((part) => !/^[_$]/.test(part) && part !== "tsx") ?? [],
  ),
);
/** The app library's own pages, under `/auth` but served by Remix. */
const SCREEN_PREFIX = "/auth/shopify/";
/** A file of `public/` below a segment of the API. */
const SECURITY_CONTACT = "/.well-known/security.txt";

/**
 * Also for a path that only the screens' router would match to an API route (other case, escapes,
 * dots, `.data`): an endpoint has exactly one path. A request through the router would skip the
 * client address and the rate limits.
 */
export function isApiPath(path: string): boolean {
  // Remix requests the data of a route at its path and `.data` ("Single Fetch").
  const first = firstSegment(path).replace(/\.data$/, "");
  const isScreen = path.startsWith(SCREEN_PREFIX) || path === SECURITY_CONTACT;
  return !isScreen && API_SEGMENTS.has(first);
}

/** Whether an endpoint or a screen of the service may answer this path. The public start page, `/`, does not count. */
export const isOwnPath = (path: string): boolean =>
  isApiPath(path) ||
  API_SEGMENTS.has(firstSegment(path)) ||
  SCREEN_SEGMENTS.has(firstSegment(path));

function firstSegment(path: string): string {
  const resolved = URL.parse(path.replace(/^[/\\]+/, "/"), "http://here.invalid")?.pathname ?? path;
  const first = resolved.split("/").find((segment) => segment !== "") ?? "";
  try {
    return decodeURIComponent(first).toLowerCase();
  } catch {
    return first.toLowerCase();
  }
}

/** `events.$id.status.ts` is `/events/:id/status`; `[.]well-known.ucp.ts` is `/.well-known/ucp`. */
export function pathOfFile(file: string): string {
  const escaped: string[] = [];
  const name = file
    .replace(/\.ts$/, "")
    .replace(/\[([^[\]]+)\]/g, (_, text: string) => `\u0000${escaped.push(text) - 1}\u0000`);
  const segments = name
    .split(".")
    .map((segment) =>
      segment
        .replace(/^\$/, ":")
        .replace(/\u0000(\d+)\u0000/g, (_, index: string) => escaped[Number(index)] ?? ""),
    );
  return `/${segments.join("/")}`;
}

const BARE_GID = /gid:\/\/?shopify\/([A-Za-z]{1,60})\/(\d{1,20})/;

/**
 * A request's target in which a gid that a caller did not escape is one segment. Proxies may have joined its two slashes.
 */
export const withGidAsSegment = (target: string): string =>
  target.includes("/gid:/")
    ? target.replace(BARE_GID, (_, type: string, number: string) =>
        encodeURIComponent(`gid://shopify/${type}/${number}`),
      )
    : target;

let loaded: Promise<RouteTable> | undefined;

/** All endpoints. */
export function loadRoutes(): Promise<RouteTable> {
  loaded ??= load();
  return loaded;
}

/** The endpoints at these paths, without loading the modules of any other. */
export function loadRoutesAt(paths: ReadonlySet<string>): Promise<RouteTable> {
  return load((file) => paths.has(pathOfFile(file)));
}

async function load(isWanted: (file: string) => boolean = () => true): Promise<RouteTable> {
  const modules = await Promise.all(
    ENDPOINT_FILES.filter(isWanted).map(async (file) => ({
      file,
      module: (await import(/* @vite-ignore */ new URL(file, ROUTES).href)) as { route?: Endpoint },
    })),
  );
  const all = modules.flatMap(({ file, module }) =>
    module.route ? [{ file, path: pathOfFile(file), endpoint: module.route }] : [],
  );
  const mounted = all.flatMap(({ path, endpoint }) => [
    { path, endpoint, isProxied: false },
    ...(endpoint.proxied
      ? [{ path: PROXY_MOUNT + path, endpoint: endpoint.proxied, isProxied: true }]
      : []),
  ]);
  const exact = new Map(
    mounted
      .filter(({ path }) => !path.includes("/:"))
      .map((route) => [route.path, { ...route, params: {} }]),
  );
  const patterns = mounted
    .filter(({ path }) => path.includes("/:"))
    .map((route) => ({ route, segments: route.path.split("/") }));

  return {
    all,
    match(rawPath) {
      const path = rawPath.length > 1 && rawPath.endsWith("/") ? rawPath.slice(0, -1) : rawPath;
      const route = exact.get(path);
      if (route) return route;
      const given = path.split("/");
      for (const { route: candidate, segments } of patterns) {
        const params = matchSegments(segments, given);
        if (params) return { ...candidate, params };
      }
      return null;
    },
  };
}

function matchSegments(
  segments: readonly string[],
  given: readonly string[],
): Record<string, string> | null {
  if (segments.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = given[index] as string;
    if (!segment.startsWith(":")) {
      if (segment !== value) return null;
      continue;
    }
    try {
      params[segment.slice(1)] = decodeURIComponent(value);
    } catch {
      return null;
    }
    if (value === "") return null;
  }
  return params;
}
