/** What a theme loads of others: a script for marketing and a frame for analytics, each served on request. */
const FILES: Record<string, string> = {
  "pixel.js":
    "document.getElementById('partner-script').textContent='The script for marketing runs.';",
  "frame.html":
    '<!doctype html><html lang="en"><title>Frame</title><body style="font:.875rem system-ui,sans-serif;color:#e6e9e2;margin:0">The frame for analytics is loaded.</body></html>',
};

export const readPartnerFile = (name: string): string | null =>
  Object.hasOwn(FILES, name) ? (FILES[name] ?? null) : null;
