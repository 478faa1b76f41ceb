/** Says in the admin's own way what a button did. */
export function showToast(text: string, isError = false): void {
  window.shopify?.toast?.show(text, { isError });
}
