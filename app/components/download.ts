// Downloads inside the admin's frame: a plain link would carry no session token, so the file is fetched and handed over.
export async function download(path: string, fileName: string, method: "GET" | "POST" = "GET"): Promise<boolean> {
  try {
    const answer = await fetch(path, { method });
    if (!answer.ok) return false;
    const url = URL.createObjectURL(await answer.blob());
    const link = document.createElement("a");
    link.href = url;
    link.download = fileName;
    link.click();
    URL.revokeObjectURL(url);
    return true;
  } catch {
    return false;
  }
}
