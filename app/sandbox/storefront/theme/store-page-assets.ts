/** A stand-in for the storefront's own script (shopify.dev "Customer Privacy API"). */
export const STORE_SCRIPT = `(function(){
var kept=JSON.parse(localStorage.getItem('sandbox_privacy')||'{}'),yes=function(v){return v===true?'yes':v===false?'no':''};
function say(list,value){var put=function(){var place=document.getElementById(list);if(!place)return;var item=document.createElement('li');item.textContent=JSON.stringify(value);place.append(item)};document.readyState==='loading'?document.addEventListener('DOMContentLoaded',put):put()}
var layer=window.dataLayer=[];layer.push=function(){for(var i=0;i<arguments.length;i+=1){Array.prototype.push.call(layer,arguments[i]);say('layer',Object.prototype.toString.call(arguments[i])==='[object Arguments]'?Array.from(arguments[i]):arguments[i])}return layer.length};
window.Shopify={loadFeatures:function(features,done){window.Shopify.customerPrivacy={
currentVisitorConsent:function(){return{analytics:yes(kept.analytics),marketing:yes(kept.marketing),preferences:yes(kept.preferences),sale_of_data:yes(kept.sale_of_data)}},
setTrackingConsent:function(consent,callback){kept=consent;localStorage.setItem('sandbox_privacy',JSON.stringify(consent));say('privacy',consent);callback();document.dispatchEvent(new CustomEvent('visitorConsentCollected',{detail:{analyticsAllowed:!!consent.analytics,marketingAllowed:!!consent.marketing}}))}};done()}};
})();`;
