/** The looks of the surfaces, as properties that the elements' style sheet reads (runtime/style.ts). */
export const FRAME_STYLE = `
:root { color-scheme: light; font: 15px/1.5 -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --ink: #1d1d1f; --subdued: #5f5f66; --line: #dfdfe3; --field-line: #8b8b93; --hover: #f2f2f4; --off: #8b8b93;
  --card: #fff; --card-border: 1px solid var(--line); --card-radius: 12px; --card-padding: 20px; --card-shadow: none;
  --control: 42px; --control-radius: 8px; --heading-size: 17px;
  --accent: #2c4a3a; --on-accent: #fff; --link: #2c4a3a; --focus: #1f6feb;
  --critical: #b3261e; --success: #17693a; --warning: #7a5200; --info: #0b5394; color: var(--ink); }
:root[data-surface=admin] { font-size: 13px; line-height: 20px; --ink: #303030; --subdued: #616161; --line: #e3e3e3; --field-line: #8a8a8a;
  --card-border: 0; --card-radius: 12px; --card-padding: 16px; --card-shadow: none;
  --control: 28px; --control-radius: 8px; --heading-size: 14px; --accent: #303030; --link: #005bd3; --focus: #005bd3; }
html, body { margin: 0; background: transparent; }
html { overflow: hidden; }
#extension { display: grid; gap: 20px; padding: 3px; }
@media (max-width: 480px) { :root { --card-padding: 16px; } }
`;

/** For the pages that hold frames of extensions. */
export const EXTENSION_STYLE = `
.ui-extension iframe { display: block; width: 100%; border: 0; min-height: 120px; background: transparent; }
.ui-extension-error { margin: 8px 0 0; padding: 10px 14px; border-radius: 8px; background: #fdecea; color: #7d1410; }
.ui-extension-toast { position: fixed; inset: auto 0 24px; margin: 0 auto; width: fit-content; max-width: calc(100% - 32px);
  padding: 10px 18px; border-radius: 20px; background: #1d1d1f; color: #fff; font-size: 15px; z-index: 10; }
`;
