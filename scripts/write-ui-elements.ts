// Writes app/sandbox/ui-extensions/vendor-elements.ts: the web components of the vendor's package, with their
// attributes and the values that these take, as its types say. `npm run check:shopify` fails while it is outdated.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";

const TARGET = join(import.meta.dirname, "../app/sandbox/ui-extensions/vendor-elements.ts");
const SURFACES = { customerAccount: "customer-account", admin: "admin" } as const;
/** What the sandbox draws. An element of the package that is not here is an error in the sandbox. */
const DRAWN = new Set(
  `admin-action admin-block badge banner box button button-group checkbox choice choice-list details
   divider email-field form grid heading icon link list-item modal option ordered-list page paragraph
   search-field section select skeleton-paragraph spinner stack summary switch table table-body
   table-cell table-header table-header-row table-row text text-area text-field time unordered-list`
    .split(/\s+/)
    .map((name) => `s-${name}`),
);
/** A longer list is a scale of sizes or icons: any text. */
const MAX_VALUES = 12;
const OF_JSX = new Set(["key", "ref", "children", "slot"]);

type Values = "text" | "flag" | "number" | "event" | readonly string[];

/** `folder`: where the vendor's package and preact are installed. */
function renderUiElements(folder: string): string {
  const tables = Object.entries(SURFACES).map(([name, surface]) => {
    const lines = Object.entries(readSurface(folder, surface)).map(
      ([tag, attributes]) => `    ${JSON.stringify(tag)}: ${JSON.stringify(attributes)},`,
    );
    return `  ${name}: {\n${lines.join("\n")}\n  },`;
  });
  return `// Made by scripts/write-ui-elements.ts from the types of @shopify/ui-extensions, a line for each element.\nexport const VENDOR_ELEMENTS = {\n${tables.join("\n")}\n} as const;\n`;
}

export const isUiElementsCurrent = (folder: string): boolean =>
  existsSync(TARGET) && readFileSync(TARGET, "utf8") === renderUiElements(folder);

function readSurface(folder: string, surface: string): Record<string, Record<string, Values>> {
  const modules = resolve(folder, "node_modules");
  const components = join(
    modules,
    `@shopify/ui-extensions/build/ts/surfaces/${surface}/components`,
  );
  const imports = readdirSync(components)
    .filter(
      (file) => /^(?!components)\w+(?<!Components)\.d\.ts$/.test(file) && file !== "shared.d.ts",
    )
    .map((file) => `import ${JSON.stringify(join(components, file))};`);
  const entry = resolve(folder, `elements-of-${surface}.ts`);
  const text = `${imports.join("\n")}\nimport type { createElement } from "preact";\nexport type Elements = createElement.JSX.IntrinsicElements;`;
  const options: ts.CompilerOptions = {
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
    allowImportingTsExtensions: true,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => file === entry || fileExists(file);
  host.readFile = (file) => (file === entry ? text : readFile(file));
  host.getSourceFile = (file, ...rest) =>
    file === entry
      ? ts.createSourceFile(file, text, ts.ScriptTarget.ES2022)
      : getSourceFile(file, ...rest);
  const program = ts.createProgram([entry], options, host);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  const exported = module && checker.getExportsOfModule(module)[0];
  if (!exported) throw new Error(`The types of ${surface} cannot be read in ${folder}`);
  const elements = checker
    .getDeclaredTypeOfSymbol(exported)
    .getProperties()
    .filter(({ name }) => DRAWN.has(name))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return Object.fromEntries(
    elements.map((element) => [element.name, attributesOf(checker, element)]),
  );
}

function attributesOf(checker: ts.TypeChecker, element: ts.Symbol): Record<string, Values> {
  const attributes = checker
    .getTypeOfSymbol(element)
    .getProperties()
    .filter(({ name }) => !OF_JSX.has(name))
    .toSorted((one, other) => one.name.localeCompare(other.name));
  return Object.fromEntries(
    attributes.map((attribute) => [attribute.name, valuesOf(checker, attribute)]),
  );
}

function valuesOf(checker: ts.TypeChecker, attribute: ts.Symbol): Values {
  if (/^on[A-Z]/.test(attribute.name)) return "event";
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(attribute));
  const parts = type.isUnion() ? type.types : [type];
  const isAll = (flags: ts.TypeFlags) => parts.every((part) => (part.flags & flags) !== 0);
  if (isAll(ts.TypeFlags.BooleanLike)) return "flag";
  if (isAll(ts.TypeFlags.NumberLike)) return "number";
  const values = parts.flatMap((part) => (part.isStringLiteral() ? [part.value] : []));
  return values.length === parts.length && values.length <= MAX_VALUES
    ? values.filter(Boolean).toSorted()
    : "text";
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (!folder) throw new Error("Name the folder of an extension whose packages are installed.");
  writeFileSync(TARGET, renderUiElements(folder));
}
