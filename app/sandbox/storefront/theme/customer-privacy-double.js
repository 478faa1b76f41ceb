// The storefront's customer privacy API, simulated (shopify.dev "Customer Privacy API"). As strict as the
// platform's: it is not there before `loadFeatures`, which answers later; a wrong argument throws; a record
// holds only what was known; the visitor's region and the store's policies decide what is asked and allowed.
// `window.sandboxPrivacy`: `{policies, region, trouble, isHeadless}`, where trouble is missing | slow | throws |
// error. Headless, the API is there with the script, and each choice says whose it is.
(function () {
  const { policies, region, trouble, isHeadless } = window.sandboxPrivacy;
  const KEPT = "sandbox_privacy";
  const PURPOSES = ["analytics", "marketing", "preferences", "sale_of_data"];
  const heard = (window.sandboxPrivacyCalls = []);
  const note = (value) => {
    heard.push(value);
    document.dispatchEvent(new CustomEvent("sandbox:privacy", { detail: value }));
  };
  window.Shopify = window.Shopify || {};
  if (trouble === "missing") return;

  const kept = () => JSON.parse(localStorage.getItem(KEPT) || "{}");
  const [country, part] = [region.slice(0, 2), region.slice(2)];
  const policy =
    policies.find((one) => one.countryCode === country && one.regionCode === part) ||
    policies.find((one) => one.countryCode === country && !one.regionCode) ||
    {};
  const hasGpc = navigator.globalPrivacyControl === true;
  const isAllowed = (purpose) => {
    const known = kept()[purpose];
    if (purpose === "sale_of_data" && policy.dataSaleOptOutRequired && hasGpc) return false;
    return known === undefined ? !policy.consentRequired : known;
  };
  const hasAny = () => Object.keys(kept()).length > 0;

  /** The purposes of a call, and the values of a storefront without a theme. */
  const split = ({
    headlessStorefront,
    checkoutRootDomain,
    storefrontRootDomain,
    storefrontAccessToken,
    ...flags
  }) => {
    const values = [checkoutRootDomain, storefrontRootDomain, storefrontAccessToken];
    if (headlessStorefront !== true) {
      if (values.some((value) => value !== undefined))
        throw new TypeError("setTrackingConsent: headlessStorefront must be true");
      return { flags, place: null };
    }
    const isHost = (value, start) =>
      typeof value === "string" && value.startsWith(start) && /^[.a-z0-9-]+$/.test(value);
    if (!isHost(checkoutRootDomain, "") || !isHost(storefrontRootDomain, "."))
      throw new TypeError("setTrackingConsent: checkoutRootDomain or storefrontRootDomain");
    // The public token of the Storefront API, never one of the Admin API.
    if (!/^[0-9a-f]{32}$/.test(storefrontAccessToken))
      throw new TypeError("setTrackingConsent: storefrontAccessToken");
    return { flags, place: values };
  };

  const api = {
    currentVisitorConsent: () =>
      Object.fromEntries(
        PURPOSES.map((purpose) => {
          const known = kept()[purpose];
          return [purpose, known === undefined ? "" : known ? "yes" : "no"];
        }),
      ),
    setTrackingConsent(consent, callback) {
      if (typeof consent !== "object" || consent === null || Array.isArray(consent))
        throw new TypeError("setTrackingConsent: the consent must be an object");
      if (typeof callback !== "function")
        throw new TypeError("setTrackingConsent: the callback must be a function");
      const { flags, place } = split(consent);
      if (isHeadless !== (place !== null))
        throw new TypeError(
          "setTrackingConsent: " +
            (isHeadless ? "headlessStorefront is missing" : "headlessStorefront in a theme"),
        );
      for (const [name, value] of Object.entries(flags))
        if (!PURPOSES.includes(name) || typeof value !== "boolean")
          throw new TypeError(
            "setTrackingConsent: " + name + " must be a known purpose and a boolean",
          );
      note(consent);
      setTimeout(() => {
        localStorage.setItem(KEPT, JSON.stringify({ ...kept(), ...flags }));
        callback();
        document.dispatchEvent(
          new CustomEvent("visitorConsentCollected", {
            detail: {
              analyticsAllowed: isAllowed("analytics"),
              marketingAllowed: isAllowed("marketing"),
              preferencesAllowed: isAllowed("preferences"),
              saleOfDataAllowed: isAllowed("sale_of_data"),
            },
          }),
        );
      });
    },
    shouldShowBanner: () => policy.consentRequired === true && !hasAny(),
    saleOfDataRegion: () => policy.dataSaleOptOutRequired === true,
    getRegion: () => region,
    analyticsProcessingAllowed: () => isAllowed("analytics"),
    marketingAllowed: () => isAllowed("marketing"),
    preferencesProcessingAllowed: () => isAllowed("preferences"),
    saleOfDataAllowed: () => isAllowed("sale_of_data"),
  };
  const broken = Object.fromEntries(
    Object.keys(api).map((name) => [
      name,
      () => {
        throw new Error("The customer privacy API is broken");
      },
    ]),
  );

  if (isHeadless) {
    window.Shopify.customerPrivacy = api;
    return;
  }
  window.Shopify.loadFeatures = (features, callback) => {
    if (!Array.isArray(features) || typeof callback !== "function")
      throw new TypeError("loadFeatures: a list and a callback are required");
    for (const { name, version } of features)
      if (name !== "consent-tracking-api" || version !== "0.1")
        throw new TypeError("loadFeatures: " + name + " " + version + " is no feature");
    const answer = () => {
      if (trouble === "error") return callback(new Error("The feature could not be loaded"));
      window.Shopify.customerPrivacy = trouble === "throws" ? broken : api;
      callback();
    };
    // `slow`: until the test, or the visitor in the console, lets it answer.
    if (trouble === "slow") window.sandboxPrivacyAnswer = answer;
    else setTimeout(answer);
  };
})();
