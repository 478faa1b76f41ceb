// The strict sandbox of an app's web pixel, simulated: a worker that has no page, and of the browser only what
// the Web Pixels API gives it. The pixel is loaded with the first message.
(function () {
  const load = self.importScripts.bind(self);
  const [subscribers, consentSubscribers, calls] = [new Map(), [], new Map()];
  let extension = null;
  self.shopify = {
    extend(point, callback) {
      if (point !== "WebPixel::Render") throw new Error("Unknown extension point " + point);
      extension = callback;
    },
  };
  const area = (name) =>
    Object.fromEntries(
      ["getItem", "setItem", "removeItem", "clear", "key", "length"].map((method) => [
        method,
        (...values) =>
          new Promise((resolve) => {
            const call = calls.size + 1;
            calls.set(call, resolve);
            // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none to name
            self.postMessage({ call, area: name, method, values });
          }),
      ]),
    );

  function start({ pixel, settings, init }) {
    load(pixel);
    for (const name of ["importScripts", "XMLHttpRequest", "WebSocket", "indexedDB", "caches"])
      Object.defineProperty(self, name, { value: undefined });
    extension({
      settings,
      init,
      browser: { sessionStorage: area("sessionStorage"), localStorage: area("localStorage") },
      analytics: {
        subscribe(name, callback) {
          subscribers.set(name, [...(subscribers.get(name) || []), callback]);
          return () => subscribers.delete(name);
        },
      },
      customerPrivacy: {
        subscribe(name, callback) {
          if (name === "visitorConsentCollected") consentSubscribers.push(callback);
        },
      },
    });
  }

  self.addEventListener("message", ({ data }) => {
    if (data.start) start(data.start);
    else if (data.call) calls.get(data.call)(data.result);
    else if (data.consent) consentSubscribers.forEach((callback) => callback(data.consent));
    else (subscribers.get(data.event.name) || []).forEach((callback) => callback(data.event));
  });
})();
