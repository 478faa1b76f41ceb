// The platform's pixel manager in a page, simulated. It starts the frame with the pixel once the visitor
// allows analytics, gives it the events until then as well, and answers its calls of the browser's storage.
// `window.sandboxPixel`: `{frame, settings, shop, shown, submitted}`.
(function () {
  const { frame: address, settings, shop, shown, submitted } = window.sandboxPixel;
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
  let pixel = null;
  let isLoaded = false;

  const post = (message) => pixel.contentWindow.postMessage(message, "*");
  function publish(event) {
    if (isLoaded) post({ event });
    else waiting.push(event);
  }

  function start(customerPrivacy) {
    if (pixel || !customerPrivacy.analyticsProcessingAllowed) return;
    pixel = document.createElement("iframe");
    Object.assign(pixel, { hidden: true, title: "Pixel", src: address });
    pixel.sandbox.add("allow-scripts");
    pixel.addEventListener("load", () => {
      isLoaded = true;
      post({
        start: { settings, init: { customerPrivacy, data: { shop, customer: null, cart: null } } },
      });
      waiting.splice(0).forEach(publish);
    });
    document.body.append(pixel);
  }

  window.addEventListener("message", ({ source, data: { call, area, method, values } }) => {
    if (!pixel || source !== pixel.contentWindow) return;
    const result = window[area][method](...values);
    post({ call, result: result === undefined ? null : result });
  });
  shown.forEach(publish);
  document.addEventListener("submit", () => submitted.forEach(publish));
  document.addEventListener("visitorConsentCollected", ({ detail }) => {
    const customerPrivacy = privacyOf(detail);
    if (isLoaded) post({ consent: { customerPrivacy } });
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
