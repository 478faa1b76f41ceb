// App Bridge, the first script of every embedded page: a script before it could call the service
// without a session token, and a stylesheet before it would delay it.
const SCRIPT_ID = "app-bridge";
const OWN = `meta[charset], meta[name="shopify-api-key"], #${SCRIPT_ID}`;
/** The first of our own elements after App Bridge's script (`root.tsx`). */
const NEXT = 'meta[name="viewport"]';

export function AppBridge({ apiKey, url }: { apiKey: string; url: string }) {
  return (
    <>
      <meta name="shopify-api-key" content={apiKey} />
      <script id={SCRIPT_ID} src={url} />
    </>
  );
}

/**
 * Moves what App Bridge has put before or beside its script to the end of the head: React hydrates
 * past foreign nodes only there.
 */
export function moveForeignNodes({ head }: Document): void {
  const children = [...head.children];
  const next = children.findIndex((child) => child.matches(NEXT));
  if (next < 0 || !head.querySelector(`#${SCRIPT_ID}`)) return;
  for (const child of children.slice(0, next)) if (!child.matches(OWN)) head.append(child);
}
