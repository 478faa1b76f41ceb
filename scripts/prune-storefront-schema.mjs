// Prunes the full schemas of the storefront's APIs (10 MB each) to the types that our documents use, so that
// the sandbox and the tests validate every query offline in milliseconds. Run it whenever
// documents.ts or commerce-documents.ts of app/integrations/storefront changes. The schemas come from the
// introspection files in the vendor's own developer package.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import {
  buildClientSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isInputObjectType,
  parse,
  printSchema,
  TypeInfo,
  typeFromAST,
  validate,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { CART_DOCUMENTS } from "../app/integrations/storefront/commerce-documents.ts";
import { STOREFRONT_DOCUMENTS } from "../app/integrations/storefront/documents.ts";

const SOURCE_PACKAGE = "@shopify/dev-mcp@1.16.0";
const PARSED = (texts) => Object.entries(texts).map(([name, text]) => ({ name, ast: parse(text) }));
// `source` is the package's name of an API's files, `file` ours.
const APIS = [
  {
    title: "Admin API",
    source: "admin",
    file: "admin",
    documents: PARSED(STOREFRONT_DOCUMENTS),
    written: ["2026-04", "2026-07"],
    checked: ["2026-01", "2026-10"],
  },
  {
    title: "Storefront API",
    source: "storefront-graphql",
    file: "cart",
    documents: PARSED(CART_DOCUMENTS),
    written: ["2026-04"],
    checked: ["2026-01", "2026-07", "2026-10"],
  },
];
const outputDirectory = new URL("../app/sandbox/storefront/graphql/schema/", import.meta.url);

const workDirectory = mkdtempSync(join(tmpdir(), "storefront-schema-"));
try {
  execFileSync("npm", ["pack", SOURCE_PACKAGE, "--silent"], {
    cwd: workDirectory,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const tarball = readdirSync(workDirectory).find((file) => file.endsWith(".tgz"));
  execFileSync("tar", ["xzf", tarball], { cwd: workDirectory });

  mkdirSync(outputDirectory, { recursive: true });
  for (const api of APIS) {
    for (const version of api.written) {
      const introspection = readIntrospection(api, version);
      const schema = buildClientSchema(introspection);
      if (api.file === "admin" && version === api.written.at(-1)) {
        writeTopicScopes(schema);
        writeProtectedFields(introspection, collectReached(schema, api.documents));
      }
      const problems = findProblems(api, schema);
      if (problems.length > 0)
        throw new Error(`${api.title} ${version} refuses:\n${problems.join("\n")}`);
      const header = `# ${api.title} ${version}, cut to what our documents reach. Written by scripts/prune-storefront-schema.mjs.\n\n`;
      const sdl = `${header}${printSchema(buildClientSchema(prune(introspection, schema, api.documents)))}\n`;
      writeFileSync(new URL(`${api.file}-${version}.graphql`, outputDirectory), sdl);
      console.log(
        `${api.title} ${version}: ${api.documents.length} documents valid, ${sdl.length} bytes written`,
      );
    }
    for (const version of api.checked) {
      if (!existsSync(introspectionFile(api, version))) continue;
      const problems = findProblems(api, buildClientSchema(readIntrospection(api, version)));
      console.log(
        `${api.title} ${version}: ${problems.length === 0 ? "all documents valid" : `NOT VALID\n${problems.join("\n")}`} (checked only)`,
      );
    }
  }
} finally {
  rmSync(workDirectory, { recursive: true, force: true });
}

/** Which scopes the schema's own text names for each webhook topic; any one of them is enough. */
function writeTopicScopes(schema) {
  const topics = schema.getType("WebhookSubscriptionTopic").getValues();
  const scopes = Object.fromEntries(
    topics.map(({ name, description }) => [
      name,
      [...new Set((description ?? "").match(/\b(?:read|write)_\w+/g) ?? [])],
    ]),
  );
  writeFileSync(
    new URL("webhook-topic-scopes.json", outputDirectory),
    `${JSON.stringify(scopes, null, 2)}\n`,
  );
}

/** Which of the reached fields need an approval of their own, and for what: name, email, phone or address. */
function writeProtectedFields(introspection, reached) {
  const fields = introspection.__schema.types.flatMap(({ name: type, fields }) =>
    (fields ?? [])
      .filter(
        ({ name, isProtected, protectedSubject }) =>
          isProtected && protectedSubject === "customer" && reached.get(type)?.has(name),
      )
      .map(({ name, protectedContent }) => [`${type}.${name}`, protectedContent]),
  );
  writeFileSync(
    new URL("protected-fields.json", outputDirectory),
    `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`,
  );
}

function introspectionFile(api, version) {
  return join(workDirectory, `package/dist/data/${api.source}_${version}.json.gz`);
}

function readIntrospection(api, version) {
  const parsed = JSON.parse(
    gunzipSync(readFileSync(introspectionFile(api, version))).toString("utf8"),
  );
  return parsed.data ?? parsed;
}

function findProblems({ documents }, schema) {
  return documents.flatMap(({ name, ast }) =>
    validate(schema, ast).map((error) => `${name}: ${error.message}`),
  );
}

/**
 * The introspection result with only the used types, fields and arguments; input types and enums stay
 * complete.
 */
function prune(introspection, schema, documents) {
  const reached = collectReached(schema, documents);
  const keptNames = new Set(reached.keys());
  const roots = [schema.getQueryType(), schema.getMutationType()].filter(
    (root) => root && keptNames.has(root.name),
  );
  const types = introspection.__schema.types
    .filter((type) => keptNames.has(type.name))
    .map((type) => {
      const fields = reached.get(type.name);
      return {
        ...type,
        description: null,
        fields:
          type.fields
            ?.filter((field) => fields.has(field.name))
            .map((field) => ({
              ...field,
              description: null,
              args: field.args
                .filter((arg) => fields.get(field.name).has(arg.name))
                .map(withoutDescription),
            })) ?? null,
        inputFields: type.inputFields?.map(withoutDescription) ?? null,
        enumValues: type.enumValues?.map(withoutDescription) ?? null,
        interfaces: type.interfaces?.filter((reference) => keptNames.has(reference.name)) ?? null,
        possibleTypes:
          type.possibleTypes?.filter((reference) => keptNames.has(reference.name)) ?? null,
      };
    });
  return {
    __schema: {
      ...introspection.__schema,
      description: null,
      queryType: { name: schema.getQueryType().name },
      mutationType: roots.includes(schema.getMutationType())
        ? { name: schema.getMutationType().name }
        : null,
      subscriptionType: null,
      types,
      directives: introspection.__schema.directives.filter((directive) =>
        ["skip", "include", "deprecated", "specifiedBy"].includes(directive.name),
      ),
    },
  };
}

/** Type name -> field name -> argument names used by the documents. */
function collectReached(schema, documents) {
  const reached = new Map();
  const keepType = (type) => {
    if (!type) return new Map();
    const known = reached.get(type.name);
    if (known) return known;
    const fields = new Map();
    reached.set(type.name, fields);
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) keepType(getNamedType(field.type));
    return fields;
  };
  for (const scalar of ["Boolean", "String", "Int", "Float", "ID"])
    keepType(schema.getType(scalar));

  const typeInfo = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(typeInfo, {
    Field(node) {
      const field = typeInfo.getFieldDef();
      const parent = typeInfo.getParentType();
      if (!field || !parent || node.name.value.startsWith("__")) return;
      const fields = keepType(parent);
      const usedArguments = fields.get(field.name) ?? new Set();
      fields.set(field.name, usedArguments);
      for (const argument of node.arguments ?? []) usedArguments.add(argument.name.value);
      for (const argument of field.args)
        if (usedArguments.has(argument.name)) keepType(getNamedType(argument.type));
      keepType(getNamedType(field.type));
    },
    InlineFragment() {
      const type = typeInfo.getType();
      if (isCompositeType(type)) keepType(type);
    },
    VariableDefinition(node) {
      keepType(getNamedType(typeFromAST(schema, node.type)));
    },
  });
  for (const { ast } of documents) visit(ast, visitor);
  // A schema needs a query type, also where the documents contain only mutations.
  if (!reached.has(schema.getQueryType().name)) {
    keepType(schema.getQueryType()).set("shop", new Set());
    keepType(schema.getType("Shop")).set("id", new Set());
  }

  // An implementor of a kept interface must have the interface's kept fields.
  for (const [name, fields] of reached) {
    const type = schema.getType(name);
    if (!isAbstractType(type)) continue;
    for (const possible of schema.getPossibleTypes(type)) {
      const ownFields = reached.get(possible.name);
      if (!ownFields) continue;
      for (const [fieldName, usedArguments] of fields)
        ownFields.set(fieldName, new Set([...(ownFields.get(fieldName) ?? []), ...usedArguments]));
    }
  }
  return reached;
}

function withoutDescription(element) {
  return { ...element, description: null };
}
