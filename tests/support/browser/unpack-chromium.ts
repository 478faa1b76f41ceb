// Chromium with its own libraries and fonts: a minimal machine has none, and text without a font has no size.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

type Unpacked = {
  executablePath: string;
  env: { LD_LIBRARY_PATH: string; FONTCONFIG_FILE: string };
};

export const chromiumIn = (folder: string): Unpacked => ({
  executablePath: join(folder, "chromium"),
  env: {
    LD_LIBRARY_PATH: join(folder, "al2023/lib"),
    FONTCONFIG_FILE: join(folder, "fonts.conf"),
  },
});

/**
 * Unpacks into a folder of its own, which is removed with the process: a copy in the shared one may be
 * incomplete after another run. Takes two seconds of processor time.
 */
export async function unpackUntilExit(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "customer-identity-browser-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  await unpackInto(folder);
  return folder;
}

async function unpackInto(folder: string): Promise<void> {
  const before = process.env.TMPDIR;
  // The package unpacks into the machine's folder for temporary files.
  process.env.TMPDIR = folder;
  try {
    const { default: packed, inflate } = await import("@sparticuz/chromium");
    const parts = resolve(import.meta.dirname, "../../../node_modules/@sparticuz/chromium/bin");
    await inflate(join(parts, "al2023.tar.br"));
    const [fonts, cache] = [join(folder, "fonts"), join(folder, "font-cache")];
    writeFileSync(
      chromiumIn(folder).env.FONTCONFIG_FILE,
      `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir></fontconfig>`,
    );
    await packed.executablePath(parts);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
