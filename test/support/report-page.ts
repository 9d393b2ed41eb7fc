import type { Locator, Page } from 'playwright-core';

/** A part of the question of a report: `Type`, `Counted as`, `Event 1`, `Period`, … */
export const chip = (page: Page, name: string): Locator =>
  page.locator('.question').getByRole('button', { name: new RegExp(`^${name}: `) });

/** The text of a part of the question. */
export async function saidBy(page: Page, name: string): Promise<string> {
  return (await chip(page, name).textContent())!.replace(`${name}: `, '').trim();
}

/** Opens a list of choices and takes one. */
export async function pick(opener: Locator, option: string | RegExp): Promise<void> {
  await opener.click();
  await opener.page().getByRole('option', { name: option }).first().click();
}

/** Chooses one of a few in a part of the question. */
export const choose = (page: Page, name: string, option: string): Promise<void> =>
  pick(chip(page, name), new RegExp(`^${option}`));

/** Chooses the event of a part of the question, and what it is counted as if that is given. */
export async function chooseEvent(page: Page, name: string, event: string, counted?: string): Promise<void> {
  await chip(page, name).click();
  const layer = page.getByRole('dialog', { name });
  await pick(layer.getByRole('button', { name: /^Event: / }), new RegExp(`^${event}`));
  if (counted !== undefined) await pick(layer.getByRole('button', { name: /^Counted as: / }), counted);
  await page.keyboard.press('Escape');
  await layer.waitFor({ state: 'detached' });
}

export async function choosePeriod(page: Page, period: string): Promise<void> {
  await chip(page, 'Period').click();
  await page.getByRole('dialog', { name: 'Period' }).getByRole('button', { name: period, exact: true }).click();
}

/** A way to draw the answer. */
export const form = (page: Page, name: string): Locator =>
  page.getByRole('group', { name: 'Shown as' }).getByRole('button', { name: new RegExp(`^${name}`) });

/** Waits for the answer to the present question. */
export const settled = (page: Page): Promise<void> =>
  page.locator('.answer[aria-busy="false"] footer').first().waitFor();

/** Opens a report by its address, and waits for the answer. */
export async function openReport(page: Page, service: { readonly address: string }, state: object): Promise<void> {
  await page.goto(`${service.address}/console/reports/new?report=${encodeURIComponent(JSON.stringify(state))}`);
  await settled(page);
}

/** Saves the report of the page under a name. */
export async function save(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Name').fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}
