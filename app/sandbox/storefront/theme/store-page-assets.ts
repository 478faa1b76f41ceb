/** A stand-in for the storefront's own script (shopify.dev "Customer Privacy API"). */
export const STORE_SCRIPT = `(function(){
function say(list,value){var put=function(){var place=document.getElementById(list);if(!place)return;var item=document.createElement('li');item.textContent=JSON.stringify(value);place.append(item)};document.readyState==='loading'?document.addEventListener('DOMContentLoaded',put):put()}
var layer=window.dataLayer=[];layer.push=function(){for(var i=0;i<arguments.length;i+=1){Array.prototype.push.call(layer,arguments[i]);say('layer',Object.prototype.toString.call(arguments[i])==='[object Arguments]'?Array.from(arguments[i]):arguments[i])}return layer.length};
document.addEventListener('sandbox:privacy',function(event){say('privacy',event.detail)});
})();`;
