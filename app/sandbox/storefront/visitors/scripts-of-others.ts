/**
 * What merchants and other apps wrote into the head of a store's theme: one script that waits for
 * consent and several that do not. They are `nomodule`, so that no browser of today asks for them:
 * nothing leaves this machine.
 */
export const SCRIPTS_OF_OTHERS = `<script nomodule>
(function(w,d,s,l,i){w[l]=w[l]||[];var j=d.createElement(s);j.async=true;
j.src='https://www.googletagmanager.com/gtm.js?id='+i;d.head.appendChild(j);})(window,document,'script','dataLayer','GTM-SANDBOX');
</script>
<noscript><iframe src="https://www.googletagmanager.com/ns.html?id=GTM-SANDBOX" height="0" width="0" title="Tag manager"></iframe></noscript>
<script nomodule>
!function(f,b,e,v){f.fbq=function(){};var t=b.createElement(e);t.async=true;t.src=v;
b.head.appendChild(t)}(window,document,'script','https://connect.facebook.net/en_US/fbevents.js');
fbq('init','1000000001');fbq('track','PageView');
</script>
<noscript><img height="1" width="1" alt="" src="https://www.facebook.com/tr?id=1000000001&amp;ev=PageView"></noscript>
<script nomodule>
(function() { function asyncLoad() { var urls = ["https:\\/\\/static.klaviyo.com\\/onsite\\/js\\/SANDBX\\/klaviyo.js?company_id=SANDBX\\u0026shop=demo-store.myshopify.com"];
for (var i = 0; i < urls.length; i++) { var s = document.createElement('script'); s.async = true; s.src = urls[i]; document.head.appendChild(s); } }
window.addEventListener('load', asyncLoad, false); })();
</script>
<script nomodule async src="https://static.hotjar.com/c/hotjar-1000001.js?sv=6"></script>
<script nomodule async src="https://widgets.shop-helper.example/badge.js?store=sandbox"></script>
<script nomodule type="text/plain" data-consent="marketing" async data-src="https://s.pinimg.com/ct/core.js"></script>
<script nomodule defer src="https://www.paypal.com/sdk/js?client-id=sandbox"></script>
<script nomodule id="web-pixels-manager-setup">(function(){})({"webPixelsConfigList":[{"id":"1","type":"APP","runtimeContext":"STRICT"}]});</script>
`;
