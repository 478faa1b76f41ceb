// The platform's page around its UI extensions, simulated: starts each frame, gives it tokens and toasts, follows its
// links, and shows its errors instead of hiding them.
(function () {
  if (window.sandboxExtensions) return;
  window.sandboxExtensions = true;
  const path = "/ui-extensions";

  function toast(text) {
    const shown = document.createElement("div");
    shown.className = "ui-extension-toast";
    shown.setAttribute("role", "status");
    document.body.append(shown);
    shown.textContent = text;
    setTimeout(() => shown.remove(), 6000);
  }

  /** `extension:{handle}/` and addresses of the web; everything else is refused. */
  function resolve(url, pages) {
    if (url.startsWith("extension:")) {
      const handle = url.slice("extension:".length).split("/")[0];
      const page = pages && pages[handle];
      if (!page) throw new Error("There is no page of " + handle);
      return page;
    }
    const address = new URL(url, location.href);
    if (!/^https?:$/.test(address.protocol)) throw new Error("Not an address: " + url);
    return address.href;
  }

  function open(url, isNew) {
    const link = document.createElement("a");
    link.href = url;
    if (isNew) Object.assign(link, { target: "_blank", rel: "noopener" });
    document.body.append(link);
    link.click();
    link.remove();
  }

  async function read(url, options) {
    const response = await fetch(url, { credentials: "same-origin", ...options });
    if (!response.ok) throw new Error(url + " answered " + response.status);
    return response;
  }

  function mount(place) {
    const { script, tokenUrl, queryUrl, extensionPages, ...start } = JSON.parse(
      place.dataset.start,
    );
    const frame = place.querySelector("iframe");
    const problem = place.querySelector(".ui-extension-error");
    const post = (message) => frame.contentWindow.postMessage(message, "*");
    const answers = {
      token: async () => (await read(tokenUrl)).text(),
      query: async (query) =>
        (
          await read(queryUrl, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(query),
          })
        ).json(),
      toast: async (text) => toast(text),
      navigate: async (url) => open(resolve(url, extensionPages), false),
      open: async (url) => open(resolve(url, extensionPages), true),
      close: async () => place.dispatchEvent(new CustomEvent("extension-close", { bubbles: true })),
    };
    async function answer({ call, name, values }) {
      try {
        if (!Object.hasOwn(answers, name)) throw new Error("No such call: " + name);
        post({ call, result: await answers[name](...values) });
      } catch (error) {
        post({ call, problem: String(error.message) });
      }
    }

    window.addEventListener("message", ({ source, data }) => {
      if (source !== frame.contentWindow) return;
      if (data.height) frame.style.height = data.height + "px";
      if (data.isRendered) place.dataset.state = "rendered";
      if (data.error) {
        place.dataset.state = "failed";
        problem.hidden = false;
        problem.textContent = "The extension failed: " + data.error;
        console.error("UI extension " + start.target + ": " + data.error);
      }
      if (data.call) void answer(data);
    });
    frame.addEventListener("load", () =>
      post({ start: { ...start, scriptUrl: new URL(path + "/" + script, location.href).href } }),
    );
    frame.src = frame.dataset.src;
  }

  const start = () => document.querySelectorAll(".ui-extension").forEach(mount);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
