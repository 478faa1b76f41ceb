// Downloads inside the admin's frame: a plain link would send no session token, so the file is
// fetched and saved.
const RETENTION_MS = 60_000;

export async function download(
  path: string,
  fileName: string,
  method: "GET" | "POST" = "GET",
): Promise<boolean> {
  try {
    const answer = await fetch(path, { method });
    if (!answer.ok) return false;
    const url = URL.createObjectURL(await answer.blob());
    const link = document.createElement("a");
    link.href = url;
    link.download = fileName;
    link.click();
    // The browser reads it after the click.
    setTimeout(() => URL.revokeObjectURL(url), RETENTION_MS);
    return true;
  } catch {
    return false;
  }
}
