// The admin's side of the embedded app: shows the menu of the app (its ui-nav-menu), opens its pages
// inside the frame, and shows the address of the frame in the window. The other side is in
// app-bridge-double.js.
(() => {
  const frame = document.querySelector("iframe[data-app-origin]");
  const menu = document.querySelector("[data-app-menu]");
  const { appOrigin, base } = frame.dataset;
  const ownEntry = [...document.querySelectorAll("#menu a")].find(
    (link) => new URL(link.href).pathname === base || link.getAttribute("aria-current") === "page",
  );

  const linkTo = (path, text, isCurrent) => {
    const link = document.createElement("a");
    link.href = base + path;
    link.textContent = text;
    if (isCurrent) link.setAttribute("aria-current", "page");
    link.addEventListener("click", (event) => {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      document.getElementById("menu").hidePopover?.();
      frame.contentWindow.postMessage({ sandbox: "open", path }, appOrigin);
    });
    const item = document.createElement("li");
    item.append(link);
    return item;
  };

  window.addEventListener("message", ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== appOrigin) return;
    if (data?.sandbox !== "page" || !Array.isArray(data.menu)) return;
    const isPath = (path) => typeof path === "string" && /^\/(?!\/)/.test(path);
    if (!isPath(data.path)) return;
    history.replaceState(null, "", base + data.path);
    const pathname = data.path.split(/[?#]/, 1)[0];
    const entries = data.menu.filter(({ path, isHome }) => isPath(path) && !isHome);
    // The deepest entry whose address the page's begins with.
    const current = entries
      .filter(({ path }) => pathname === path || pathname.startsWith(`${path}/`))
      .sort((a, b) => b.path.length - a.path.length)[0];
    menu.replaceChildren(
      ...entries.map((entry) => linkTo(entry.path, String(entry.text), entry === current)),
    );
    if (current) ownEntry?.removeAttribute("aria-current");
    else ownEntry?.setAttribute("aria-current", "page");
  });
})();
