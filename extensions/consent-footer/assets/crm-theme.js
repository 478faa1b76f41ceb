// Puts the app's pages into the places that the theme keeps for them, takes a sign-in home, and listens to the store's own
// consent banner. What it does not manage is still there as a link.
(function () {
  const { path, locale, banner, crmChoices } = document.querySelector('[data-crm-theme]').dataset;
  const query = `?locale=${encodeURIComponent(locale)}`;

  // The page has the footer with its banner where the app's metafield has it; its script is an asset.
  function fillFooters(written) {
    for (const place of document.querySelectorAll('[data-crm-embed=footer]')) place.replaceChildren(written.content.cloneNode(true));
    const script = document.createElement('script');
    script.src = crmChoices;
    document.head.append(script);
  }

  async function fill(place) {
    const page = await fetch(`${path}/embed/${encodeURIComponent(place.dataset.crmEmbed)}${query}`);
    // Scripts of a fragment run when they are put into the page; those of a parsed document never would.
    const root = document.createRange().createContextualFragment(await page.text()).querySelector('[data-crm-root]');
    if (page.ok && root) place.replaceChildren(root);
  }

  const fillAll = (selector) => document.querySelectorAll(selector).forEach((place) => void fill(place).catch(() => {}));

  // What the page is about comes first; the banner waits until the store's own page is there.
  const pages = () => fillAll('[data-crm-embed]:not([data-crm-embed=footer])');
  const footer = () => {
    if (banner === 'true' && !document.querySelector('[data-crm-embed=footer]')) {
      const place = document.createElement('div');
      place.dataset.crmEmbed = 'footer';
      document.body.append(place);
    }
    const written = document.querySelector('template[data-crm-footer]');
    if (written) fillFooters(written);
    else fillAll('[data-crm-embed=footer]');
  };
  pages();
  if (document.readyState === 'complete') footer();
  else window.addEventListener('load', () => setTimeout(footer));

  // A sign-in elsewhere comes back with a one-time code in the address's fragment. It takes the verifier that this tab kept
  // when it left: a link with somebody else's code would sign the reader in as that person.
  const mark = 'crm_sign_in';
  // Links of the theme itself to a sign-in: they send the verifier's SHA-256 along.
  void (async () => {
    if (!crypto.subtle) return;
    const toText = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');
    const kept = toText(crypto.getRandomValues(new Uint8Array(32)));
    const challenge = toText(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(kept))));
    document.addEventListener('click', (event) => {
      const link = event.target.closest?.('a[href*="handoff=fragment"]');
      if (!link || link.href.includes('handoff_challenge=')) return;
      link.href += `&handoff_challenge=${challenge}`;
      sessionStorage.setItem(mark, kept);
    }, true);
  })();
  const code = /[#&]session_code=([\w-]{1,100})/.exec(location.hash)?.[1];
  const verifier = code && sessionStorage.getItem(mark);
  if (verifier) {
    sessionStorage.removeItem(mark);
    history.replaceState(null, '', location.pathname + location.search);
    fetch(`${path}/auth/session`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ code, handoff_verifier: verifier }) })
      .then((answer) => answer.json())
      .then(({ token }) => {
        if (token) sessionStorage.setItem('crm_session', token);
        document.dispatchEvent(new Event('crm:session'));
      })
      .catch(() => {});
  }

  // The store's own banner also speaks before anybody chose: then every answer is empty, and nobody consented to anything.
  function listen() {
    const consent = window._crmConsent;
    const { analytics, marketing } = window.Shopify?.customerPrivacy?.currentVisitorConsent?.() ?? {};
    if (!consent || !analytics) return;
    const mine = consent.read();
    const said = { cookie: analytics === 'yes', marketing: marketing === 'yes' && navigator.globalPrivacyControl !== true };
    if (mine?.cookie !== said.cookie || mine.marketing !== said.marketing) consent.choose(said, 'storefront', true);
  }
  document.addEventListener('visitorConsentCollected', listen);
  // It may have spoken before this script was there, and before the loader.
  document.addEventListener('crm:ready', listen);
  listen();
})();
