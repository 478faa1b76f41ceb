// The platform's pixel manager in a page, simulated. It starts the worker with the pixel once the visitor
// allows analytics, gives it the events until then as well, and answers its calls of the browser's storage.
// `window.sandboxPixel`: `{worker, settings, shop, shown, submitted}`.
(function () {
  const { worker: address, settings, shop, shown, submitted } = window.sandboxPixel;
  const privacyOf = ({
    analyticsAllowed,
    marketingAllowed,
    preferencesAllowed,
    saleOfDataAllowed,
  }) => ({
    analyticsProcessingAllowed: analyticsAllowed,
    marketingAllowed,
    preferencesProcessingAllowed: preferencesAllowed,
    saleOfDataAllowed,
  });
  const waiting = [];
  let worker = null;

  function publish(event) {
    if (worker) worker.postMessage({ event });
    else waiting.push(event);
  }

  function start(customerPrivacy) {
    if (worker || !customerPrivacy.analyticsProcessingAllowed) return;
    worker = new Worker(address);
    worker.onmessage = ({ data: { call, area, method, values } }) => {
      const result = window[area][method](...values);
      worker.postMessage({ call, result: result === undefined ? null : result });
    };
    worker.postMessage({
      start: { settings, init: { customerPrivacy, data: { shop, customer: null, cart: null } } },
    });
    waiting.splice(0).forEach(publish);
  }

  shown.forEach(publish);
  document.addEventListener("submit", () => submitted.forEach(publish));
  document.addEventListener("visitorConsentCollected", ({ detail }) => {
    const customerPrivacy = privacyOf(detail);
    if (worker) worker.postMessage({ consent: { customerPrivacy } });
    else start(customerPrivacy);
  });
  const { Shopify } = window;
  if (!Shopify || !Shopify.loadFeatures) return;
  Shopify.loadFeatures([{ name: "consent-tracking-api", version: "0.1" }], (error) => {
    if (error) return;
    const api = Shopify.customerPrivacy;
    start(
      privacyOf({
        analyticsAllowed: api.analyticsProcessingAllowed(),
        marketingAllowed: api.marketingAllowed(),
        preferencesAllowed: api.preferencesProcessingAllowed(),
        saleOfDataAllowed: api.saleOfDataAllowed(),
      }),
    );
  });
})();
