import type { Browser, Page } from './browser.js';

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
