// Unpacks Chromium once for all workers of a test run. They find it by the environment variable
// CHROMIUM_FOLDER; a script or a bench without it unpacks its own.
import { unpackUntilExit } from "./unpack-chromium.ts";

/** Each project loads this module for itself; the unpacked browser is the process's. */
const shared = globalThis as typeof globalThis & { testChromium?: Promise<string> };

export default async function setup(): Promise<void> {
  process.env.CHROMIUM_FOLDER = await (shared.testChromium ??= unpackUntilExit());
}
