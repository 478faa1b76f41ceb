// Secrets that a machine generates and keeps, readable by its owner only, in its data folder.
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemRandom, type Random } from "./clock.ts";
import type { Mode } from "./config.ts";
import type { SettingName } from "./settings.ts";

const FILE = "secrets.json";

class LocalSecretsError extends Error {
  override name = "LocalSecretsError";
}

/**
 * Reads the named secrets from the data folder and generates the missing ones: 32 random bytes each,
 * base64url.
 */
function ensureLocalSecrets(
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
    // Temp file + rename: a crash leaves the old file or the new one, never half an encryption key.
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
    throw new LocalSecretsError(
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

/** What the sandbox makes for itself, because a deployment would have to set it. */
const SANDBOX_SECRETS: readonly SettingName[] = [
  "SECRETS_KEY",
  "JWT_SECRET",
  "ADMIN_KEY",
  "WORKER_WEBHOOK_SECRET",
  "PLATFORM_CLIENT_ID",
  "PLATFORM_APP_SECRET",
  "EMAIL_API_KEY",
];
/** `shopify app dev` sets the app's credentials and none of these. */
const DEVELOPMENT_SECRETS: readonly SettingName[] = [
  "SECRETS_KEY",
  "JWT_SECRET",
  "ADMIN_KEY",
  "WORKER_WEBHOOK_SECRET",
];

/** The settings that this machine makes for itself, for `shapeConfig`. */
export function localSettings(
  dataDir: string,
  { isSandbox, isEmbedded, isDevelopment }: Mode,
): Partial<Record<SettingName, string>> {
  if (isSandbox)
    return {
      ...ensureLocalSecrets(dataDir, SANDBOX_SECRETS, systemRandom),
      EMAIL_FROM: "Demo Store <hello@demo-store.example>",
      // Two sandboxes on one machine must not share the demo store's objects.
      ARCHIVE_URL: `file:${join(dataDir, "archive")}`,
    };
  if (!isEmbedded) return {};
  return ensureLocalSecrets(
    dataDir,
    isDevelopment ? DEVELOPMENT_SECRETS : ["SECRETS_KEY"],
    systemRandom,
  );
}
