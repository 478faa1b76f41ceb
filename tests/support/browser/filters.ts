// The filters above a list, used as a reader uses them.
import type { Page } from "playwright-core";

const pill = (page: Page, label: string) =>
  page.getByRole("search").getByRole("button", { name: new RegExp(`^${label}($|\u00a0?:)`) });

/** Opens a filter, chooses, and closes it. */
export async function chooseFilter(page: Page, label: string, choice: string): Promise<void> {
  await pill(page, label).click();
  await page.getByRole("radio", { name: choice, exact: true }).click({ force: true });
  await page.keyboard.press("Escape");
}

export async function typeFilter(page: Page, label: string, text: string): Promise<void> {
  await pill(page, label).click();
  await page.getByLabel(label, { exact: true }).and(page.locator("input")).fill(text);
  await pill(page, `${label}: ${text}`).waitFor();
  await page.keyboard.press("Escape");
}

/** Removes one filter by the button on its chip. */
export const removeFilter = (page: Page, label: string): Promise<void> =>
  pill(page, label).locator("xpath=following-sibling::button").click();
