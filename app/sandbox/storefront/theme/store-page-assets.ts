/** Style of the sandbox theme, and the script that shows what tags and the privacy API receive. */
export const STORE_STYLE = `*{box-sizing:border-box}body{margin:0;font:1rem/1.5 system-ui,sans-serif;color:#22262a;background:#fbfaf7}header,main,footer,aside{max-width:60rem;margin:auto;padding:1rem}
header{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center}header form{margin-left:auto}.products{display:grid;grid-template-columns:repeat(auto-fit,minmax(13rem,1fr));gap:1rem;list-style:none;padding:0}.products li{display:grid;gap:.25rem;padding:1rem;background:#fff;border:1px solid #d9d5cb;border-radius:.5rem}
.card{background:#fff;border:1px solid #d9d5cb;border-radius:.5rem;padding:1rem;margin-block:1rem}.card h2{margin-top:0}.card form{display:grid;gap:.75rem;max-width:26rem}.card form label:not(.tick){display:grid}input,select,button{font:inherit}input[type=email]{padding:.5rem;width:100%}button{padding:.5rem 1rem}aside ol{font:.85rem/1.4 ui-monospace,monospace;overflow-wrap:anywhere;padding-left:2rem}a{color:#1d4f91}select{max-width:100%}`;

export const STORE_SCRIPT = `(function(){
function say(list,value){var put=function(){var place=document.getElementById(list);if(!place)return;var item=document.createElement('li');item.textContent=JSON.stringify(value);place.append(item)};document.readyState==='loading'?document.addEventListener('DOMContentLoaded',put):put()}
var layer=window.dataLayer=[];layer.push=function(){for(var i=0;i<arguments.length;i+=1){Array.prototype.push.call(layer,arguments[i]);say('layer',Object.prototype.toString.call(arguments[i])==='[object Arguments]'?Array.from(arguments[i]):arguments[i])}return layer.length};
document.addEventListener('sandbox:privacy',function(event){say('privacy',event.detail)});
})();`;
