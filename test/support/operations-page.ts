import type { Locator, Page } from 'playwright-core';

/** Parts of the console's page Operations. */

export const section = (page: Page, heading: string): Locator =>
  page.locator('.operations > section').filter({ has: page.getByRole('heading', { name: heading, exact: true }) });

export const row = (models: Locator, name: string): Locator =>
  models.locator('tbody tr').filter({ has: models.page().getByRole('rowheader', { name }) });

export const linksOf = (page: Page): Promise<string[]> =>
  page.getByRole('navigation').getByRole('link').allInnerTexts();

export async function giveReason(page: Page, reason: string): Promise<void> {
  await page.getByLabel('Why? The log keeps it.').fill(reason);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}
