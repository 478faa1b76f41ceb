// The admin's window around an action extension: closed by the extension, or by the person.
(() => {
  const dialog = document.querySelector("dialog.action");
  const leave = () => location.replace(dialog.dataset.path);
  // Not `close()`: its event would come after the window is shown again.
  dialog.removeAttribute("open");
  dialog.showModal();
  dialog.addEventListener("extension-close", leave);
  dialog.addEventListener("close", leave);
})();
