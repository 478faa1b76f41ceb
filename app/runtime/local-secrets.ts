// Secrets that a machine makes for itself and keeps, owner-only, in its data folder.
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "./clock.ts";
import type { SettingName } from "./settings.ts";

const FILE = "secrets.json";

class LocalSecretsError extends Error {
  override name = "LocalSecretsError";
}

/** Reads the named secrets from the data folder, making those that are not there yet: 32 random bytes each, base64url. */
export function ensureLocalSecrets(
  dataDir: string,
  names: readonly SettingName[],
  random: Random,
): Partial<Record<SettingName, string>> {
  const file = join(dataDir, FILE);
  const kept = readKept(file);
  const missing = names.filter((name) => !kept[name]);
  if (missing.length > 0) {
    for (const name of missing) kept[name] = random.bytes(32).toString("base64url");
    mkdirSync(dataDir, { recursive: true });
    // Written beside and renamed: a crash in between leaves the old file or the new one, never half a sealing key.
    writeFileSync(`${file}.new`, JSON.stringify(kept, null, 2), { mode: 0o600 });
    chmodSync(`${file}.new`, 0o600);
    renameSync(`${file}.new`, file);
  }
  return Object.fromEntries(names.map((name) => [name, kept[name]]));
}

function readKept(file: string): Partial<Record<SettingName, string>> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new Error(
      `The local secrets in ${file} cannot be read (${(error as NodeJS.ErrnoException).code}). Give this user access to the file.`,
      { cause: error },
    );
  }
  try {
    return JSON.parse(text) as Partial<Record<SettingName, string>>;
  } catch (cause) {
    throw new LocalSecretsError(
      `The local secrets in ${file} are damaged. Restore the file: without its SECRETS_KEY the stored secrets cannot be opened.`,
      { cause },
    );
  }
}
