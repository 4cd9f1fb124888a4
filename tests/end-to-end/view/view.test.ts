import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, type Browser, type Page } from '../../support/browser/browser.js';
import { eventually, turnwise, type Running } from '../../support/command-line.js';
import { lanternPaper } from '../../support/stores/example-papers.js';
import { readPaper, writeStore } from '../../support/stores/kept-paper.js';
import { recordedRun } from '../../support/runs/recorded-run.js';
import {
  expectForNarrowScreens,
  isWithin,
  openPage,
  type OpenedPage,
} from '../../support/browser/view-in-browser.js';

let browser: Browser;
let command: Running;
let home = '';
let url = '';

beforeAll(async () => {
  const recorded = await recordedRun((manifest) => ({ ...manifest, status: 'done' }));
  home = recorded.home;
  for (const run of ['other', 'third']) {
    const folder = join(home, 'runs', run);
    cpSync(recorded.folder, folder, { recursive: true });
    const startedAt = run === 'other' ? '2026-02-01T10:00:00.000Z' : '2026-03-01T10:00:00.000Z';
    writeFileSync(
      join(folder, 'manifest.json'),
      JSON.stringify({ ...recorded.manifest, run, startedAt, evaluation: cellOf(run) }),
    );
  }
  writeStore(home, 'mine', [{ file: 'geese.pdf', paper: readPaper({}), pdf: lanternPaper() }]);
  command = turnwise(['view', '--no-open', '--json'], { TURNWISE_HOME: home });
  const output = await eventually(() =>
    command.output().includes('\n') ? command.output() : null,
  );
  ({ url } = JSON.parse(output) as { readonly url: string });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  command.child.kill('SIGINT');
  expect(await command.finished).toMatchObject({ status: 0, stderr: '' });
});

const cellOf = (model: string): object => ({ name: 'trial', dataset: 'papers', model });

const open = (path: string, options?: Parameters<Browser['newPage']>[0]): Promise<OpenedPage> =>
  openPage(browser, url, path, options);

const names = (page: Page): Promise<readonly string[]> =>
  page.locator('.runs tbody th a').allInnerTexts();

describe('the list of runs in a browser', () => {
  it('has every run with its score, the newest first, and asks only its own server', async () => {
    const { page, complaints, requests } = await open('/');
    await page.locator('.score-cell .under:has-text("–") >> nth=2').waitFor();
    expect(await names(page)).toEqual(['third', 'other', 'a-run']);
    expect(
      await page.locator('.runs tbody td[data-name=questions] >> nth=0').innerText(),
    ).toContain('6 of 12');
    const { origin } = new URL(url);
    expect(
      requests.filter((each) => !each.startsWith('data:') && new URL(each).origin !== origin),
    ).toEqual([]);
    expect(await page.evaluate('location.search')).toBe('');
    expect(complaints).toEqual([]);
  });

  it('sorts by keyboard and filters by text', async () => {
    const { page } = await open('/');
    await page.locator('.runs thead th:has-text("run") button').focus();
    await page.keyboard.press('Enter');
    expect(await names(page)).toEqual(['a-run', 'other', 'third']);
    await page.locator('input[name=text]').fill('THIRD');
    await page.locator('output:has-text("1 of 3 shown")').waitFor();
    expect(await names(page)).toEqual(['third']);
  });

  it('compares two chosen runs, down to the conversations of a question', async () => {
    const { page, complaints } = await open('/');
    await page.locator('input[aria-label="compare a-run"]').click();
    await page.locator('input[aria-label="compare other"]').click();
    await page.locator('.chosen button:has-text("Compare")').click();
    await page.locator('h1:has-text("other against a-run")').waitFor();
    await page.locator('.verdict-words').waitFor();
    await page.locator('.question-rows a:has-text("Still there?") >> nth=0').click();
    await page.locator('.side-name >> nth=1').waitFor();
    expect(await page.locator('.side-name').allInnerTexts()).toEqual(['a-run', 'other']);
    await page.goBack();
    await page.locator('.verdict-words').waitFor();
    expect(complaints).toEqual([]);
  });
});

it('an evaluation has its runs and their comparison, by keyboard and on a narrow screen', async () => {
  const { page, complaints } = await open('/', { viewport: { width: 390, height: 800 } });
  await page.locator('nav.parts a:has-text("Evaluations")').focus();
  await page.keyboard.press('Enter');
  await page.locator('td[data-name=questions]:has-text("of 24")').waitFor();
  await page.locator('.evaluations a:has-text("trial")').focus();
  await page.keyboard.press('Enter');
  await page.locator('h2:has-text("Differences")').waitFor();
  expect(await names(page)).toEqual(['other', 'third']);
  expect(await isWithin(page)).toBe(true);
  await page.locator('.runs a:has-text("third")').click();
  await page.locator('h1:has-text("third")').waitFor();
  expect(complaints).toEqual([]);
});

describe('a run that has ended', () => {
  it('shows its report, and its questions by outcome', async () => {
    const { page, complaints } = await open('/');
    await page.locator('.runs a:has-text("a-run")').click();
    await page.locator('.headline .number:has-text("0.250")').waitFor();
    await page.locator('select[name=outcome]').selectOption('infra-error');
    await page.locator('output:has-text("1 of 12 shown")').waitFor();
    expect(await page.locator('.rows-body a').allInnerTexts()).toEqual(['And now?']);
    expect(await page.locator('a:has-text("Report page")').getAttribute('href')).toBe(
      '/report/a-run',
    );
    await page.locator('button:has-text("Draw the plots")').click();
    await page.locator('.plots svg >> nth=0').waitFor();
    expect(complaints).toEqual([]);
  });

  it('opens a conversation with its SQL laid out, and goes on to the next question', async () => {
    const { page, complaints } = await open('/runs/a-run');
    await page.locator('.rows-body a:has-text("How many turns?") >> nth=0').click();
    await page.locator('h1:has-text("How many turns?")').waitFor();
    expect(await page.locator('pre.sql').innerText()).toMatch(/^SELECT\n/);
    expect(await page.locator('.end .answer dd').innerText()).toBe('20');
    expect(await page.locator('nav.steps').innerText()).toContain('1 of 12');
    await page.locator('nav.steps a:has-text("next")').click();
    await page.locator('nav.steps:has-text("2 of 12")').waitFor();
    expect(await page.locator('h1').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('has its filters and order in the address, which can be sent', async () => {
    const { page } = await open('/runs/a-run');
    await page.locator('select[name=outcome]').selectOption('not-ended');
    await page.locator('.rows-head button:has-text("question")').click();
    await page.locator('.rows-head button:has-text("question")').click();
    const search = await page.evaluate('location.search');
    expect(search).toBe('?outcome=not-ended&sort=-question');
    const links = await page.locator('.rows-body a').allInnerTexts();
    const sent = await open('/runs/a-run');
    await sent.page.goto(`${new URL(url).origin}/runs/a-run${String(search)}`);
    await sent.page.locator('output:has-text("6 of 12 shown")').waitFor();
    expect(await sent.page.locator('.rows-body a').allInnerTexts()).toEqual(links);
    await sent.page.locator('.rows-body a >> nth=0').click();
    await sent.page.locator('nav.steps:has-text("1 of 6")').waitFor();
    await sent.page.locator('nav.steps a[rel=up]').click();
    await sent.page.locator('output:has-text("6 of 12 shown")').waitFor();
    expect(await sent.page.evaluate('location.search')).toBe(search);
  });

  it('is read by keyboard, question after question', async () => {
    const { page, complaints } = await open('/runs/a-run');
    await page.locator('.rows-body a >> nth=0').click();
    await page.locator('nav.steps:has-text("1 of 12")').waitFor();
    for (const [key, place] of [
      ['j', '2 of 12'],
      ['ArrowRight', '3 of 12'],
      ['k', '2 of 12'],
      ['ArrowLeft', '1 of 12'],
      ['?', 'u back to the list'],
    ] as const) {
      await page.keyboard.press(key);
      await page.locator(`nav.steps:has-text("${place}")`).waitFor();
    }
    expect(await page.locator('button.copy').getAttribute('title')).toMatch(
      /^turnwise trajectory a-run \S+$/,
    );
    await page.keyboard.press('u');
    await page.locator('output:has-text("12 of 12 shown")').waitFor();
    // In a field it is a letter.
    await page.locator('input[name=question-text]').fill('turns');
    await page.keyboard.press('u');
    await page.locator('output:has-text("0 of 12 shown")').waitFor();
    expect(complaints).toEqual([]);
  });

  it('says that there is no such run, or page', async () => {
    const { page } = await open('/runs/unknown');
    await page.locator('[role=alert]:has-text("there is no run unknown")').waitFor();
    await page.locator('.parts a:has-text("Runs")').click();
    await page.locator('.runs tbody tr >> nth=2').waitFor();
  });

  it('shows the report page itself, which works without access to the rest', async () => {
    const { page, complaints } = await open('/report/a-run');
    await page.locator('a[href="#/runs/a-run/questions/open/1"]').click();
    await page.locator('#app h1:has-text("Still there?")').waitFor();
    expect(complaints).toEqual([]);
  });
});

it('a reader notes something on a question and on its run, finds it, and takes it away', async () => {
  const { page, complaints } = await open('/runs/other');
  await page.locator('.rows-body a:has-text("And now?") >> nth=0').click();
  await page.locator('button[data-action=Note]').click();
  await page.locator('dialog button[type=submit]').waitFor();
  await page.locator('dialog input[name=by]').fill('ann');
  await page.locator('dialog button[type=submit]').click();
  await page.locator('dialog [role=alert]:has-text("needs a text or a tag")').waitFor();
  await page.locator('dialog textarea[name=text]').fill('the <b>gold</b> is wrong');
  await page.locator('dialog input[name=tags]').fill('label-error, keep');
  await page.locator('dialog button[type=submit]').click();
  await page.locator('.conversation li.note:has-text("ann")').waitFor();
  expect(await page.locator('.conversation li.note').innerText()).toContain(
    'label-error, keep the <b>gold</b> is wrong',
  );
  await page.locator('nav.steps a[rel=up]').click();
  await page.locator('select[name=noted]').selectOption('label-error');
  await page.locator('output:has-text("1 of 12 shown")').waitFor();
  expect(await page.locator('.rows-body a').allInnerTexts()).toEqual(['And now?']);

  await page.locator('button[data-action=Note]').click();
  expect(await page.locator('dialog input[name=by]').inputValue()).toBe('ann');
  await page.locator('dialog input[name=tags]').fill('baseline');
  await page.locator('dialog button[type=submit]').click();
  await page.locator('li.note:has-text("baseline")').waitFor();
  await page.locator('.parts a:has-text("Runs")').click();
  await page.locator('input[name=text]').fill('BASELINE');
  await page.locator('output:has-text("1 of 3 shown")').waitFor();
  expect(await names(page)).toEqual(['other']);
  await page.locator('.runs a:has-text("other")').click();
  await page.locator('li.note button[data-action=Remove]').click();
  await page.locator('dialog button[type=submit]').click();
  await page.locator('li.note').waitFor({ state: 'hidden' });
  expect(complaints).toEqual([expect.stringContaining('409')]);
});

describe('every page', () => {
  it.each([
    ['/', '.runs tbody tr'],
    ['/runs/a-run', '.rows-body .row'],
    ['/runs/a-run/questions/hostile/1', '.turn'],
    ['/compare/a-run/other', '.rows-body .row'],
    ['/compare/a-run/other,third', '.rows-body .row'],
    ['/evaluations', '.evaluations tbody tr'],
    ['/evaluations/trial', 'h2'],
    ['/compare/a-run/other/open/1', '.sides'],
    ['/stores/mine', 'tbody tr'],
  ])('%s fits a narrow screen, names its controls, and is accessible', (path, wanted) =>
    expectForNarrowScreens(browser, url, path, wanted),
  );

  it('is light or dark as the reader asks', async () => {
    const { page } = await open('/', { colorScheme: 'dark' });
    const paper = (): Promise<unknown> =>
      page.evaluate('getComputedStyle(document.body).backgroundColor');
    const inDark = await paper();
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await paper()).not.toBe(inDark);
  });
});

describe('the command', () => {
  it('says in one sentence that a port is in use', async () => {
    const { port } = new URL(url);
    const second = turnwise(['view', '--no-open', '--port', port], { TURNWISE_HOME: home });
    expect(await second.finished).toMatchObject({
      status: 2,
      stdout: '',
      stderr: `turnwise: port ${port} is in use, or may not be used: choose another with --port, or leave --port out for a free one\n`,
    });
  });

  it('prints the address for people', async () => {
    const third = turnwise(['view', '--no-open'], { TURNWISE_HOME: home });
    const text = await eventually(() =>
      third.output().includes('Ctrl-C') ? third.output() : null,
    );
    expect(text).toMatch(
      /^turnwise view at http:\/\/127\.0\.0\.1:\d+\/\?token=\S+\nCtrl-C stops it; runs go on\.\n$/,
    );
    third.child.kill('SIGINT');
    expect((await third.finished).status).toBe(0);
  });
});
