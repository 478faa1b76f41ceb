// Unpacks Chromium once for all workers of a test run. They find it by the environment variable
// CHROMIUM_FOLDER; a script or a bench without it unpacks its own.
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { roomyFolder } from "../roomy-folder.ts";
import { unpackChromium } from "./unpack-chromium.ts";

/** Each project loads this module for itself; the unpacked browser is the process's. */
const shared = globalThis as typeof globalThis & { testChromium?: Promise<void> };

export default async function setup(): Promise<void> {
  await (shared.testChromium ??= unpackForAll());
}

async function unpackForAll(): Promise<void> {
  const folder = await mkdtemp(join(await roomyFolder(), "customer-identity-browser-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  await unpackChromium(folder);
  process.env.CHROMIUM_FOLDER = folder;
}
