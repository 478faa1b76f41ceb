// Configuration in two steps: read (aliases, empty means unset), then parse and validate. All
// problems are reported at once, by the setting's name and kind, never by its value.
import { databaseAddress, replicaAddress } from "./setting-schemas.ts";
import {
  HOME_REGION,
  NEEDED_BESIDE,
  settingOf,
  SETTINGS,
  type Role,
  type SettingName,
  type Settings,
} from "./settings.ts";

export type Environment = Record<string, string | undefined>;

export type Config = Settings & {
  isSandbox: boolean;
  isDevelopment: boolean;
  /** Under tests, problems that production repairs and logs throw instead. */
  isTest: boolean;
  isEmbedded: boolean;
  roles: ReadonlySet<Role>;
  /** Databases of the regions other than the home region `default`, by lower-case name. */
  regionDatabaseUrls: Readonly<Record<string, string>>;
  /** The cells that this process serves; null: all that it has an address of. */
  servedCells: ReadonlySet<string> | null;
  /** The addresses for migrations of the regions that have one, the home region among them. */
  directDatabaseUrls: Readonly<Record<string, string>>;
  /** The standbys that may serve reads of the regions that have one, the home region among them. */
  replicaUrls: Readonly<Record<string, string>>;
};

type Problem = { name: string; problem: string };

export class ConfigError extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(
      [
        "The service cannot start. Set these in the environment:",
        ...problems.map(({ name, problem }) => `  ${name}: ${problem}`),
      ].join("\n"),
    );
    this.name = "ConfigError";
    this.problems = problems;
  }
}

const names = Object.keys(SETTINGS) as SettingName[];
const entry = (
  name: SettingName,
): (typeof SETTINGS)[SettingName] & {
  aliases?: readonly string[];
  default?: string;
  required?: true;
  outside?: true;
  secret?: true;
} => SETTINGS[name];

/** Step one: the settings as text, by their own names. An empty value counts as unset. */
export function readEnvironment(environment: Environment): Partial<Record<SettingName, string>> {
  const read: Partial<Record<SettingName, string>> = {};
  for (const name of names) {
    const value = [name, ...(entry(name).aliases ?? [])]
      .map((alias) => environment[alias]?.trim())
      .find(Boolean);
    if (value) read[name] = value;
  }
  // The CLI's HOST is the tunnel's URL, and no address that a process can listen on.
  if (read.HOST && /^https?:\/\//i.test(read.HOST)) {
    read.BASE_URL ??= read.HOST;
    delete read.HOST;
  }
  return read;
}

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i;

/**
 * The sandbox simulates every outside system and prints its admin key, so it never runs beside real
 * credentials. `auto` enables it only when no setting of a deployment is set: no credential, no public
 * address, no database, and no host that others can reach.
 */
function decideSandbox(
  environment: Environment,
  read: Partial<Record<SettingName, string>>,
  problems: Problem[],
): boolean {
  const credentials = names.filter((name) => entry(name).outside && read[name]);
  const wish = read.SANDBOX ?? "auto";
  if (wish === "on" && credentials.length > 0)
    problems.push({
      name: "SANDBOX",
      problem: `the sandbox never runs beside real credentials; unset ${credentials.join(", ")}, or set SANDBOX=off`,
    });
  if (wish !== "auto") return wish === "on";
  const isDeployed =
    names.some(
      (name) => (entry(name).outside || entry(name).required || entry(name).secret) && read[name],
    ) ||
    Object.keys(readRegions(environment, "DATABASE_URL", [])).length > 0 ||
    (read.HOST !== undefined && !LOOPBACK_HOST.test(read.HOST));
  return !isDeployed;
}

/** The facts that decide which settings this machine makes for itself. */
export type Mode = { isSandbox: boolean; isEmbedded: boolean; isDevelopment: boolean };

/**
 * Step two. `local` supplies the secrets that this machine makes for itself: the sealing key of an
 * embedded database, in development beside one the service's own secrets, and in the sandbox
 * everything that a deployment would have to set.
 */
export function shapeConfig(
  environment: Environment,
  local: (mode: Mode) => Partial<Record<SettingName, string>>,
): Config {
  const read = readEnvironment(environment);
  const problems: Problem[] = [];
  const isSandbox = decideSandbox(environment, read, problems);
  const isEmbedded = read.DATABASE_URL === undefined;
  const isDevelopment = environment.NODE_ENV === "development";
  const made = local({ isSandbox, isEmbedded, isDevelopment });
  const shaped = parseSettings({ ...made, ...read }, { isSandbox }, problems);
  // The sandbox brings its own systems.
  if (!isSandbox) requireBeside(shaped, read, problems);
  const regionDatabaseUrls = readRegions(environment, "DATABASE_URL", problems);
  const directRegionUrls = readRegions(environment, "DIRECT_DATABASE_URL", problems);
  const replicaRegionUrls = readRegions(environment, "DATABASE_REPLICA_URL", problems);
  const beside = { ...read, regions: regionDatabaseUrls };
  requireServiceUrls("DIRECT_DATABASE_URL", directRegionUrls, beside, problems);
  requireServiceUrls("DATABASE_REPLICA_URL", replicaRegionUrls, beside, problems);
  const settings = shaped as Settings;
  requireAddresses(settings.CELLS ?? [], regionDatabaseUrls, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    ...settings,
    isSandbox,
    isEmbedded,
    isDevelopment,
    isTest: environment.NODE_ENV === "test",
    roles: new Set(settings.ROLES),
    regionDatabaseUrls,
    servedCells: settings.CELLS ? new Set(settings.CELLS) : null,
    directDatabaseUrls: {
      ...(settings.DIRECT_DATABASE_URL && { [HOME_REGION]: settings.DIRECT_DATABASE_URL }),
      ...directRegionUrls,
    },
    replicaUrls: {
      ...(settings.DATABASE_REPLICA_URL && { [HOME_REGION]: settings.DATABASE_REPLICA_URL }),
      ...replicaRegionUrls,
    },
  };
}

/** The settings with their defaults. Adds what is missing or invalid to `problems`. */
function parseSettings(
  texts: Partial<Record<SettingName, string | undefined>>,
  { isSandbox }: Pick<Mode, "isSandbox">,
  problems: Problem[],
): Record<string, unknown> {
  const shaped: Record<string, unknown> = {};
  for (const name of names) {
    const { schema, required, default: fallback } = entry(name);
    const text = texts[name] ?? fallback;
    if (text === undefined) {
      if (required && !isSandbox)
        problems.push({ name, problem: `is missing. ${SETTINGS[name].about}` });
      continue;
    }
    const parsed = schema.safeParse(text);
    if (parsed.success) shaped[name] = parsed.data;
    else
      problems.push({
        name,
        problem: parsed.error.issues.map((issue) => issue.message).join("; "),
      });
  }
  return shaped;
}

/** A setting that is valid requires those that it does nothing without. */
function requireBeside(
  shaped: Record<string, unknown>,
  read: Partial<Record<SettingName, string>>,
  problems: Problem[],
): void {
  for (const [name, others] of Object.entries(NEEDED_BESIDE)) {
    const missing = others.filter((other) => read[other] === undefined);
    if (shaped[name] !== undefined && missing.length > 0)
      problems.push({ name, problem: `needs ${missing.join(" and ")} beside it, or unset it` });
  }
}

/** Another address of a database requires the service's own. */
function requireServiceUrls(
  setting: "DIRECT_DATABASE_URL" | "DATABASE_REPLICA_URL",
  given: Record<string, string>,
  beside: Partial<Record<SettingName, string>> & { regions: Record<string, string> },
  problems: Problem[],
): void {
  if (beside[setting] && !beside.DATABASE_URL)
    problems.push({ name: setting, problem: "needs DATABASE_URL beside it" });
  for (const region of Object.keys(given).filter((name) => !Object.hasOwn(beside.regions, name)))
    problems.push({
      name: settingOf(setting, region),
      problem: `needs ${settingOf("DATABASE_URL", region)} beside it`,
    });
}

/** A cell that is served requires its address. */
function requireAddresses(
  cells: readonly string[],
  regions: Record<string, string>,
  problems: Problem[],
): void {
  for (const cell of cells)
    if (cell !== HOME_REGION && !Object.hasOwn(regions, cell))
      problems.push({
        name: "CELLS",
        problem: `${cell} needs ${settingOf("DATABASE_URL", cell)}`,
      });
}

function readRegions(
  environment: Environment,
  setting: "DATABASE_URL" | "DIRECT_DATABASE_URL" | "DATABASE_REPLICA_URL",
  problems: Problem[],
): Record<string, string> {
  const regions: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith(`${setting}_`) || !value?.trim()) continue;
    const region = name.slice(setting.length + 1).toLowerCase();
    if (!/^[a-z0-9_]+$/.test(region)) continue;
    const schema = setting === "DATABASE_REPLICA_URL" ? replicaAddress : databaseAddress;
    const parsed = schema.safeParse(value.trim());
    if (!parsed.success)
      problems.push({
        name,
        problem: parsed.error.issues.map(({ message }) => message).join("; "),
      });
    else if (region === HOME_REGION)
      problems.push({ name, problem: `the home region \`${HOME_REGION}\` is ${setting}` });
    else regions[region.replaceAll("_", "-")] = value.trim();
  }
  return regions;
}
