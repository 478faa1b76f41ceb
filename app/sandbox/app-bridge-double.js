// A stand-in for the admin's App Bridge script (shopify.dev "App Bridge library") in browsers without the
// Shopify admin. Session tokens come from the sandbox that served this script. It puts its styles into <head>
// while the page is still being read; toasts and modals are appended to <body>. The admin around the app is
// storefront/admin.
(() => {
  const script = document.currentScript;
  const sandboxOrigin = new URL(script.src).origin;
  const pageQuery = new URLSearchParams(location.search);
  const plainFetch = window.fetch.bind(window);
  const remembered = (name) => {
    const inUrl = pageQuery.get(name);
    if (inUrl) sessionStorage.setItem(`sandbox-${name}`, inUrl);
    return inUrl ?? sessionStorage.getItem(`sandbox-${name}`) ?? "";
  };
  const shop = remembered("shop");
  const host = remembered("host");
  const apiKey =
    script.dataset.apiKey ?? document.querySelector('meta[name="shopify-api-key"]')?.content ?? "";

  const askAdmin = async (what, { method = "GET", ...query } = {}) => {
    const asked = new URLSearchParams({ ...query, shop });
    const response = await plainFetch(`${sandboxOrigin}/${what}?${asked}`, {
      method,
      credentials: "omit",
    });
    if (!response.ok) throw new Error(`The sandbox gave no ${what} (${response.status})`);
    return response;
  };
  const idToken = async () => (await askAdmin("session-token")).text();

  window.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (new URL(request.url).origin !== location.origin || request.headers.has("Authorization"))
      return plainFetch(request);
    request.headers.set("Authorization", `Bearer ${await idToken()}`);
    return plainFetch(request);
  };

  // The app's bounce page needs a token to be served: mint one and return to the app with it. Only to the
  // app's own origin.
  const reloadTarget = pageQuery.get("shopify-reload");
  if (reloadTarget) {
    const asked = new URL(reloadTarget, location.origin);
    void idToken().then((token) => {
      asked.searchParams.set("id_token", token);
      location.replace(`${location.origin}${asked.pathname}${asked.search}`);
    });
  }

  const shownToasts = [];
  const toast = {
    show(message, options = {}) {
      const id = `toast-${shownToasts.length}`;
      shownToasts.push(message);
      const element = document.createElement("div");
      element.id = id;
      element.className = options.isError ? "sandbox-toast sandbox-toast-error" : "sandbox-toast";
      element.setAttribute("role", "status");
      element.textContent = message;
      document.body.append(element);
      setTimeout(() => toast.hide(id), options.duration ?? 5000);
      return id;
    },
    hide: (id) => document.getElementById(id)?.remove(),
  };

  class Disclosure extends HTMLElement {
    async show() {
      if (this.hasAttribute("data-open")) return;
      this.setAttribute("data-open", "");
      this.dispatchEvent(new Event("show"));
    }
    async hide() {
      if (!this.hasAttribute("data-open")) return;
      this.removeAttribute("data-open");
      this.dispatchEvent(new Event("hide"));
    }
    toggle() {
      return this.hasAttribute("data-open") ? this.hide() : this.show();
    }
    get showing() {
      return this.hasAttribute("data-open");
    }
  }
  class Modal extends Disclosure {
    #dialog = null;
    // The element the app renders into. It must stay the same element when the surrounding dialog changes.
    #content = document.createElement("div");
    #heading = document.createElement("h2");
    #footer = document.createElement("footer");
    #watcher = new MutationObserver(() => this.#showTitleBar());
    get content() {
      if (!this.#dialog) {
        this.#dialog = document.createElement("dialog");
        this.#dialog.className = "sandbox-modal";
        this.#dialog.addEventListener("close", () => this.hide());
        this.#dialog.append(this.#content);
      }
      return this.#content;
    }
    // The title bar's buttons stay where the app rendered them; their copies in the dialog click the
    // originals and follow their texts and states.
    #showTitleBar() {
      const titleBar = this.querySelector("ui-title-bar");
      const title = titleBar?.getAttribute("title") ?? "Dialog";
      this.#dialog.setAttribute("aria-label", title);
      this.#heading.textContent = title;
      const originals = [...(titleBar?.querySelectorAll("button") ?? [])];
      while (this.#footer.children.length > originals.length) this.#footer.lastChild.remove();
      originals.forEach((original, place) => {
        let copy = this.#footer.children[place];
        if (!copy) {
          copy = document.createElement("button");
          copy.type = "button";
          copy.addEventListener("click", () =>
            this.querySelectorAll("ui-title-bar button")[place]?.click(),
          );
          this.#footer.append(copy);
        }
        copy.textContent = original.textContent;
        copy.disabled = original.disabled;
        copy.className = `${original.getAttribute("variant") ?? ""} ${original.getAttribute("tone") ?? ""}`;
      });
    }
    async show() {
      if (this.showing) return;
      const body = this.content;
      if (!this.#dialog.isConnected) document.body.append(this.#dialog);
      body.before(this.#heading);
      body.after(this.#footer);
      this.#showTitleBar();
      this.#watcher.observe(this, {
        subtree: true,
        childList: true,
        characterData: true,
        attributes: true,
      });
      await super.show();
      this.#dialog.showModal();
    }
    async hide() {
      this.#watcher.disconnect();
      await super.hide();
      if (this.#dialog?.open) this.#dialog.close();
      this.#dialog?.remove();
    }
  }
  const definitions = {
    "ui-save-bar": Disclosure,
    "ui-modal": Modal,
    "ui-title-bar": HTMLElement,
    "ui-nav-menu": HTMLElement,
  };
  for (const [name, base] of Object.entries(definitions))
    if (!customElements.get(name)) customElements.define(name, class extends base {});

  const byId = (id) => document.getElementById(id);
  const disclose = {
    show: async (id) => byId(id)?.show(),
    hide: async (id) => byId(id)?.hide(),
    toggle: async (id) => byId(id)?.toggle(),
  };
  window.shopify = {
    config: { apiKey, shop, host, locale: "en" },
    origin: "https://admin.shopify.com",
    ready: Promise.resolve(),
    environment: { embedded: true, mobile: false, pos: false },
    scopes: {
      async request(wanted) {
        const isAllowed = window.confirm(`Allow the app: ${wanted.join(", ")}?`);
        if (isAllowed) await askAdmin("scopes", { method: "POST", wanted: wanted.join(",") });
        return { result: isAllowed ? "granted-all" : "declined-all" };
      },
    },
    app: { extensions: async () => (await askAdmin("extensions")).json() },
    idToken,
    toast,
    modal: disclose,
    saveBar: {
      ...disclose,
      async leaveConfirmation() {
        const isDirty = document.querySelector("ui-save-bar[data-open]") !== null;
        if (isDirty && !window.confirm("Leave without saving?"))
          throw new Error("The person stayed on the page");
      },
    },
    loading: (isLoading) =>
      document.documentElement.toggleAttribute("data-sandbox-loading", isLoading !== false),
    user: async () => ({ accountAccess: "Administrator" }),
    sandbox: { toasts: shownToasts },
  };

  // Inside the sandbox's admin: it shows the menu, and follows the address of the app's page.
  const isFramed = window.parent !== window;
  if (isFramed) {
    const ownParameters = [
      "embedded",
      "shop",
      "host",
      "id_token",
      "hmac",
      "locale",
      "session",
      "timestamp",
    ];
    const shownPath = () => {
      const url = new URL(location.href);
      for (const name of ownParameters) url.searchParams.delete(name);
      return url.pathname + url.search;
    };
    const menuLinks = () => [...document.querySelectorAll("ui-nav-menu a[href]")];
    const pathOf = (link) => new URL(link.href).pathname;
    let lastSent = "";
    const sendPage = () => {
      const menu = menuLinks().map((link) => ({
        path: pathOf(link),
        text: link.textContent,
        isHome: link.rel === "home",
      }));
      const page = { sandbox: "page", path: shownPath(), menu };
      if (lastSent === JSON.stringify(page) || !page.path.startsWith("/app")) return;
      lastSent = JSON.stringify(page);
      window.parent.postMessage(page, sandboxOrigin);
    };
    window.addEventListener("message", ({ source, origin, data }) => {
      if (source !== window.parent || origin !== sandboxOrigin || data?.sandbox !== "open") return;
      menuLinks()
        .find((link) => pathOf(link) === data.path)
        ?.click();
    });
    for (const name of ["pushState", "replaceState"]) {
      const change = history[name].bind(history);
      history[name] = (...state) => {
        change(...state);
        sendPage();
      };
    }
    window.addEventListener("popstate", sendPage);
    document.addEventListener("DOMContentLoaded", () => {
      new MutationObserver(sendPage).observe(document.body, { childList: true, subtree: true });
      sendPage();
    });
  }

  const style = document.createElement("style");
  style.textContent = `
    ui-save-bar, ui-modal { display: none; }
    ui-save-bar[data-open] { display: flex; gap: .5rem; justify-content: flex-end; align-items: center; position: fixed; inset: 0 0 auto 0; z-index: 600; padding: .6rem 1rem; background: #1a1a1a; color: #fff; }
    html:has(ui-save-bar[data-open]) { scroll-padding-top: 4rem; }
    ui-save-bar[data-open]::before { content: "Unsaved changes"; margin-right: auto; }
    ui-save-bar button, .sandbox-modal footer button { font: inherit; padding: .35rem .8rem; border: 1px solid #8a8a8a; border-radius: .5rem; background: #fff; color: #1a1a1a; cursor: pointer; }
    ui-title-bar { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; padding: .6rem 1rem; background: #fff; border-bottom: 1px solid #e3e3e3; font-family: system-ui, sans-serif; }
    ui-title-bar::before { content: attr(title); font-weight: 600; margin-right: auto; }
    ui-title-bar section { display: flex; flex-wrap: wrap; gap: .5rem; }
    ui-title-bar button { font: 600 12px system-ui, sans-serif; padding: .4rem .75rem; border: 0; border-radius: .5rem; background: #e3e3e3; color: #303030; cursor: pointer; }
    ui-title-bar button:hover { background: #d4d4d4; }
    ui-title-bar button:disabled { color: #8a8a8a; cursor: default; }
    ui-title-bar button[variant="primary"] { background: #303030; color: #fff; }
    ui-title-bar button[variant="breadcrumb"] { order: -1; }
    ui-title-bar button[variant="breadcrumb"]::before { content: "\\2039\\a0" / ""; }
    .sandbox-modal footer .primary { border-color: #303030; background: #303030; color: #fff; }
    .sandbox-modal footer .critical { border-color: #8e0b21; background: #8e0b21; color: #fff; }
    .sandbox-modal footer button:disabled { opacity: .5; cursor: default; }
    ui-nav-menu { display: flex; flex-wrap: wrap; gap: 1rem; padding: .6rem 1rem; background: #ebebeb; font-family: system-ui, sans-serif; }
    .sandbox-toast { position: fixed; left: 50%; bottom: 1.5rem; transform: translateX(-50%); z-index: 700; padding: .6rem 1rem; border-radius: .6rem; background: #1a1a1a; color: #fff; font: 14px system-ui, sans-serif; }
    .sandbox-toast-error { background: #8e0b21; }
    .sandbox-modal { border: 0; border-radius: .8rem; padding: 1.25rem; max-width: 40rem; width: calc(100% - 2rem); }
    .sandbox-modal h2 { font: 600 1rem system-ui, sans-serif; margin: 0 0 .75rem; }
    .sandbox-modal footer { display: flex; gap: .5rem; justify-content: flex-end; margin-top: 1rem; }
  `;
  if (isFramed) style.textContent += "ui-nav-menu { display: none; }";
  document.head.append(style);
})();
