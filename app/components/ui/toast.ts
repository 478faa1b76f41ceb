/** Shows the result of a button in the admin's toast. */
export const showToast = (text: string): void => show(text, { isError: false });

export const showErrorToast = (text: string): void => show(text, { isError: true });

function show(text: string, options: { isError: boolean }): void {
  window.shopify?.toast?.show(text, options);
}
