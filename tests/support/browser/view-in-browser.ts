import { expect } from 'vitest';
import { accessibilityFindings, type Browser, type Page } from './browser.js';

export interface OpenedPage {
  readonly page: Page;
  readonly complaints: readonly string[];
  readonly requests: readonly string[];
}

/** The page at a path, opened by the address with the token. */
export async function openPage(
  browser: Browser,
  at: string,
  path: string,
  options?: Parameters<Browser['newPage']>[0],
): Promise<OpenedPage> {
  const page = await browser.newPage(options);
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message: { text: () => string }) => complaints.push(message.text()));
  page.on('pageerror', (error: Error) => complaints.push(error.message));
  page.on('request', (request: { url: () => string }) => requests.push(request.url()));
  const address = new URL(at);
  address.pathname = path;
  await page.goto(address.href);
  return { page, complaints, requests };
}

/** Whether the page does not scroll sideways. */
export const isWithin = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth <= innerWidth');

/**
 * Once what is `wanted` is there: on a narrow screen the page does not scroll sideways, names its controls and has one title; in
 * light and dark, narrow and wide, axe finds nothing.
 */
export async function expectForNarrowScreens(
  browser: Browser,
  at: string,
  path: string,
  wanted: string,
): Promise<void> {
  const viewport = { width: 360, height: 740 };
  const { page, complaints } = await openPage(browser, at, path, { viewport });
  await page.locator(`${wanted} >> nth=0`).waitFor();
  expect(await isWithin(page)).toBe(true);
  expect(
    await page.evaluate(
      `[...document.querySelectorAll('input, select, textarea')].every((field) => field.closest('label') || field.ariaLabel)`,
    ),
  ).toBe(true);
  expect(await page.locator('main').count()).toBe(1);
  expect(await page.locator('h1').count()).toBe(1);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await accessibilityFindings(page)).toEqual([]);
  }
  const wide = await openPage(browser, at, path, { viewport: { width: 1280, height: 800 } });
  await wide.page.locator(`${wanted} >> nth=0`).waitFor();
  expect(await accessibilityFindings(wide.page)).toEqual([]);
  expect(complaints).toEqual([]);
}
