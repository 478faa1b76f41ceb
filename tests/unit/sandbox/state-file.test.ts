import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { openStateFile } from "../../../app/sandbox/state-file.ts";

test("state that cannot be written, as on a full disk, ends no process and is written later", async () => {
  const root = mkdtempSync(join(tmpdir(), "sandbox-state-"));
  const folder = join(root, "data");
  // A file in the folder's place: every write fails.
  writeFileSync(folder, "");
  const warnings = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const file = openStateFile(join(folder, "state.json"), { visits: 0 });
  file.state.visits = 1;
  file.saving.soon();
  const warned = () => warnings.mock.calls.filter(([text]) => String(text).includes("not saved"));
  await expect.poll(() => warned().length).toBe(1);
  file.state.visits = 2;
  file.saving.soon();
  rmSync(folder);
  mkdirSync(folder);
  const read = () => readFileSync(join(folder, "state.json"), "utf8");
  await expect.poll(read).toBe('{"visits":2}');
  expect(warned()).toHaveLength(1);
  warnings.mockRestore();
  rmSync(root, { recursive: true });
});
