// The JSON Schemas that UCP publishes, compiled: one set for each version. scripts/protocol-sources.ts
// fetches them.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { UcpVersion } from "../../../app/domain/agents/ucp/profile.ts";
import { isFetched, sourceFolder } from "../../../scripts/protocol-sources.ts";

export const hasUcpSchemas = (version: UcpVersion): boolean => isFetched(`ucp-${version}`);

const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const FORMATS = {
  "date-time": (text: string) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)),
  date: (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text),
  uri: (text: string) => URL.canParse(text),
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  email: /^[^@\s]+@[^@\s]+$/,
};
/** What the published files say beside JSON Schema. */
const UCP_KEYWORDS = [
  "embedded",
  "name",
  "requires",
  "ucp_request",
  "ucp_response",
  "ucp_shared_request",
];

export type UcpSchemas = {
  /** `path`: below source/schemas, with a fragment. */
  compile(path: string): ValidateFunction;
  /** Both at once: a capability and what its extensions add to it. */
  compileAll(paths: readonly string[]): ValidateFunction;
  /** The fields that the object may have in a request of this operation. */
  requestFields(path: string, operation: string): string[];
};

const cache = new Map<UcpVersion, UcpSchemas>();

export function ucpSchemas(version: UcpVersion): UcpSchemas {
  const known = cache.get(version) ?? load(version);
  cache.set(version, known);
  return known;
}

type Rule = { ucp_request?: string | Record<string, string> };
type Schema = {
  $id?: string;
  $defs?: Record<string, Schema>;
  $ref?: string;
  allOf?: Schema[];
  properties?: Record<string, Rule>;
};

function load(version: UcpVersion): UcpSchemas {
  const folder = join(sourceFolder(`ucp-${version}`), "source/schemas");
  const ajv = new Ajv2020({
    strict: true,
    // The published files name types and requirements across an allOf.
    strictTypes: false,
    strictRequired: false,
    allErrors: true,
    formats: FORMATS,
    keywords: UCP_KEYWORDS,
  });
  const schemas = new Map<string, Schema>();
  for (const [path, schema] of filesOf(folder)) {
    schemas.set(path, schema);
    ajv.addSchema(schema);
  }
  const addressOf = (path: string): string => {
    const [file = "", fragment] = path.split("#");
    const id = schemas.get(file)?.$id;
    if (id === undefined) throw new Error(`UCP ${version} publishes no ${file}`);
    return fragment === undefined ? id : `${id}#${fragment}`;
  };
  /** Its own, and those of the files that it consists of. */
  const propertiesOf = (file: string, schema: Schema = {}): [string, Rule][] => [
    ...Object.entries(schema.properties ?? {}),
    ...(schema.allOf ?? []).flatMap((part) => {
      if (part.$ref === undefined) return propertiesOf(file, part);
      const other = posix.join(posix.dirname(file), part.$ref);
      return propertiesOf(other, schemas.get(other));
    }),
  ];
  const compileAll = (paths: readonly string[]): ValidateFunction =>
    ajv.compile({ allOf: paths.map((path) => ({ $ref: addressOf(path) })) });
  return {
    compile: (path) => compileAll([path]),
    compileAll,
    requestFields(path, operation) {
      const [file = "", definition] = path.split("#/$defs/");
      const schema = schemas.get(file);
      return propertiesOf(file, definition ? schema?.$defs?.[definition] : schema)
        .filter(([, { ucp_request: rule = "optional" }]) => {
          const own = typeof rule === "string" ? rule : (rule[operation] ?? "optional");
          return own !== "omit";
        })
        .map(([name]) => name);
    },
  };
}

const filesOf = (folder: string): [string, Schema][] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".json"))
    .map((path) => [path, JSON.parse(readFileSync(join(folder, path), "utf8")) as Schema]);
