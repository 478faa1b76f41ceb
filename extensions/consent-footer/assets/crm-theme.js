// Puts the app's pages into the places that the theme keeps for them, and takes a sign-in home. What it does not manage is
// still there as a link.
(function () {
  const { path, locale, banner, crmChoices } = document.querySelector('[data-crm-theme]').dataset;
  const query = `?locale=${encodeURIComponent(locale)}`;

  // The banner's script, which also follows the store's own record of consent.
  if (crmChoices) {
    const choices = document.createElement('script');
    choices.src = crmChoices;
    document.head.append(choices);
  }

  // A script that was parsed elsewhere runs in no browser when it is put into the page: each one is made anew. What is there
  // for readers without scripts was parsed as if for them.
  function insert(place, root) {
    const own = document.importNode(root, true);
    for (const part of own.querySelectorAll('noscript')) part.remove();
    place.replaceChildren(own);
    for (const parsed of place.querySelectorAll('script')) {
      const script = document.createElement('script');
      for (const { name, value } of parsed.attributes) script.setAttribute(name, value);
      script.async = false;
      script.text = parsed.text;
      parsed.replaceWith(script);
    }
  }

  async function fill(place) {
    const page = await fetch(`${path}/embed/${encodeURIComponent(place.dataset.crmEmbed)}${query}`);
    const root = page.ok && new DOMParser().parseFromString(await page.text(), 'text/html').querySelector('[data-crm-root]');
    if (root) insert(place, root);
  }

  const fillAll = (selector) => document.querySelectorAll(selector).forEach((place) => void fill(place).catch(() => {}));

  // What the page is about comes first; the banner waits until the store's own page is there, and three seconds at most.
  const pages = () => fillAll('[data-crm-embed]:not([data-crm-embed=footer])');
  let isPlaced = false;
  const footer = () => {
    if (isPlaced) return;
    isPlaced = true;
    if (banner === 'true' && !document.querySelector('[data-crm-embed=footer]')) {
      const place = document.createElement('div');
      place.dataset.crmEmbed = 'footer';
      document.body.append(place);
    }
    // The page has the footer with its banner where the app's metafield has it.
    const written = document.querySelector('template[data-crm-footer]');
    if (!written) return fillAll('[data-crm-embed=footer]');
    for (const place of document.querySelectorAll('[data-crm-embed=footer]')) place.replaceChildren(written.content.cloneNode(true));
    window._crmChoices?.();
  };
  pages();
  if (document.readyState === 'complete' || performance.now() > 3000) footer();
  else {
    window.addEventListener('load', () => setTimeout(footer));
    setTimeout(footer, 3000);
  }

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
})();
