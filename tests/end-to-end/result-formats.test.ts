import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resultText } from '../../client/views/print-sections.js';
import { accessibilityFindings, startBrowser, type Browser } from '../support/browser/browser.js';
import { factsNotIn, resultSubjects } from '../support/commands/result-subjects.js';
import { newHome } from '../support/command-line.js';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

it.each(Object.entries(resultSubjects))('shows the same of %s in a browser', async (name, of) => {
  const sections = await of();
  const file = join(newHome(), 'result.html');
  writeFileSync(file, resultText('html', { title: name, sections, data: {} }));
  const page = await browser.newPage();
  await page.goto(pathToFileURL(file).href);
  expect(factsNotIn(await page.locator('body').innerText(), sections)).toEqual([]);
  expect(await accessibilityFindings(page)).toEqual([]);
});
