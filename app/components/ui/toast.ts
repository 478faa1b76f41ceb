/** Shows the result of a button in the admin's toast. */
export function showToast(text: string, isError = false): void {
  window.shopify?.toast?.show(text, { isError });
}
