// Downloads by the browser itself, which shows the progress and continues when the page is left. A
// navigation has no headers, so the session token is in the URL, as when the admin opens the app.
import { useAppBridge } from "@shopify/app-bridge-react";

export function useDownload(): (path: string, query?: URLSearchParams) => Promise<void> {
  // The form exists in the browser only.
  const bridge = useAppBridge();
  return async (path, query = new URLSearchParams()) => {
    const asked = new URLSearchParams(query);
    for (const [name, value] of Object.entries({
      embedded: "1",
      shop: bridge.config.shop ?? "",
      host: bridge.config.host ?? "",
      id_token: await bridge.idToken(),
    }))
      asked.set(name, value);
    const link = document.createElement("a");
    link.href = `${path}?${asked}`;
    link.download = "";
    document.body.append(link);
    link.click();
    link.remove();
  };
}
