import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itemFile } from '../../../domain/building/build.js';
import { itemSchema, type Item } from '../../../domain/building/item.js';
import { datasetNameSchema, itemIdSchema } from '../../../domain/ids.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import { startBrowser, type Browser, type Page } from '../../support/browser/browser.js';
import {
  expectForNarrowScreens,
  openPage,
  type OpenedPage,
} from '../../support/browser/view-in-browser.js';
import {
  eventually,
  newHome,
  turnwise,
  type Finished,
  type Running,
  untilReady,
} from '../../support/command-line.js';
import { examples } from '../../support/stores/example-library.js';

const home = newHome();
let model: SimulatedModel;
let up: Running;
let view: Running;
let browser: Browser;
let url = '';

const command = (...args: readonly string[]): Promise<Finished> =>
  turnwise(args, { TURNWISE_HOME: home, OPENAI_BASE_URL: model.url }).finished;

const build = (name: string, ...more: readonly string[]): Promise<Finished> => {
  const seeds = join(examples, 'database-qa/questions.jsonl');
  const what = ['dataset', 'build', seeds, '--dataset', name, '--model', 'large', '--yes'];
  return command(...what, ...more);
};

beforeAll(async () => {
  model = await startSimulatedModel({ script: join(examples, 'database-qa/replies.json') });
  up = turnwise(['up'], { TURNWISE_HOME: home, OPENAI_BASE_URL: model.url });
  await untilReady(up);
  view = turnwise(['view', '--no-open', '--json'], { TURNWISE_HOME: home });
  const printed = await view.says(/.*\n/);
  ({ url } = JSON.parse(printed) as { readonly url: string });
  expect(await build('trial', '--items', '7')).toMatchObject({ status: 0 });
  expect(await build('listed', '--items', '2')).toMatchObject({ status: 0 });
  expect(await build('double', '--items', '1', '--annotators', '2')).toMatchObject({ status: 0 });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  view.child.kill('SIGINT');
  expect(await view.finished).toMatchObject({ status: 0, stderr: '' });
  up.child.kill('SIGINT');
  await up.finished;
  await model.close();
});

const open = (path: string, options?: Parameters<Browser['newPage']>[0]): Promise<OpenedPage> =>
  openPage(browser, url, path, options);

const openItem = async (dataset: string, item: string, by: string): Promise<Page> => {
  const { page } = await open(`/datasets/${dataset}/items/${item}`);
  await page.locator('form.decide input[name=by]').fill(by);
  return page;
};

const itemOf = (dataset: string, id: string): Item => {
  const file = itemFile(datasetNameSchema.parse(dataset), itemIdSchema.parse(id));
  return itemSchema.parse(JSON.parse(readFileSync(join(home, file), 'utf8')));
};

const choose = (page: Page, choice: string): Promise<void> =>
  page.locator(`input[name=choice][value=${choice}]`).click();
const decide = (page: Page): Promise<void> => page.locator('form.decide button').click();
const said = (page: Page, text: string): Promise<void> =>
  page.locator(`.was-done:has-text("${text}")`).waitFor();
const refusal = (page: Page, text = ''): Promise<string> =>
  page.locator(`form.decide [role=alert]:has-text("${text}")`).innerText();
const isAt = (page: Page, state: string): Promise<void> =>
  page.locator(`.evidence strong:text-is("${state}")`).waitFor();

/** Leads an item to the gate of its rows. */
async function toRows(item: string): Promise<Page> {
  const page = await openItem('trial', item, 'ann');
  await choose(page, 'accept');
  await decide(page);
  await said(page, 'ann has accepted the question');
  await isAt(page, 'awaiting-rows');
  return page;
}

describe('the pages of a dataset that is built', () => {
  it('lead by keyboard alone from the list to a decision, and on to the next item', async () => {
    const { page, complaints } = await open('/');
    await page.locator('nav.parts a:has-text("Datasets")').focus();
    await page.keyboard.press('Enter');
    await page.locator('.datasets a:has-text("listed")').focus();
    await page.keyboard.press('Enter');
    await page.locator('output:has-text("2 of 2 shown")').waitFor();
    await page.locator('.gate-rows a >> nth=0').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.locator('form.decide input[name=by]').fill('ann');
    const first = await page.locator('h1').innerText();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.value')).toBe('edit');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await said(page, `item ${first}: ann has accepted the question`);
    // The focus is on the way on.
    await page.keyboard.press('Enter');
    await page.locator('nav.steps:has-text("2 of ")').waitFor();
    expect(await page.locator('h1').innerText()).not.toBe(first);
    expect(await page.locator('form.decide input[name=by]').inputValue()).toBe('ann');
    expect(itemOf('listed', first).decisions).toMatchObject([
      { by: 'ann', gate: 'question', seen: 1, shown: [1, 2], choice: { kind: 'accept' } },
    ]);
    expect(complaints).toEqual([]);
  });

  it.each([
    ['/datasets', '.datasets tbody tr'],
    ['/datasets/trial', '.gate-rows .rows-body .row'],
    ['/datasets/trial/items/library-2', 'form.decide'],
  ])('%s fits a narrow screen, names its controls, and is accessible', (path, wanted) =>
    expectForNarrowScreens(browser, url, path, wanted),
  );

  it('show what an edit has changed, and refuse rows that do not run with the error', async () => {
    const page = await toRows('library-2');
    await page.locator('h3:has-text("branches")').waitFor();
    await page.locator('summary:has-text("Schema")').waitFor();
    const before = itemOf('trial', 'library-2');
    await choose(page, 'edit');
    const text = page.locator('textarea[name=text]');
    const canary = join(home, 'canary.csv');
    for (const [sql, why] of [
      [`COPY branches TO '${canary}'`, 'only INSERT INTO table'],
      ["INSERT INTO branches VALUES (1, 'Only One', 'no date', 30)", 'no date'],
      ['INSERT INTO yachts VALUES (1)', 'there is no table yachts'],
    ] as const) {
      await text.fill(sql);
      await decide(page);
      await refusal(page, why);
      expect(await text.inputValue()).toBe(sql);
    }
    expect(existsSync(canary)).toBe(false);
    expect(itemOf('trial', 'library-2')).toEqual(before);
    await text.fill("INSERT INTO branches VALUES (1, 'Only One', '2020-01-01', 30)");
    await decide(page);
    await said(page, 'ann has edited the rows');
    await page.locator('td:has-text("Only One")').waitFor();
    await page.locator('.part .difference ins:has-text("One")').waitFor();
    await page.locator('.part .under:has-text("edited by ann")').waitFor();
    expect(itemOf('trial', 'library-2').state).toBe('awaiting-rows');
  });

  it('reject with a reason, send back to a model with a remark, and say who shall decide', async () => {
    const page = await openItem('trial', 'library-3', 'ann');
    await choose(page, 'redo');
    await page.locator('select[name=step]').selectOption('condense');
    await page.locator('textarea[name=reason]').fill('name the branch');
    await decide(page);
    await said(page, 'ann has sent back the question');
    await page.locator('.part .prose:has-text("(name the branch)")').waitFor();
    await page.locator('button[data-action=Assign]').click();
    await page.locator('dialog input[name=to]').fill('bob, carl');
    await page.locator('dialog button[type=submit]').click();
    await page.locator('p.was-done:has-text("Assigned to bob and carl")').waitFor();
    await choose(page, 'reject');
    await page.locator('textarea[name=reason]').fill('too easy');
    await decide(page);
    expect(await refusal(page, 'assigned')).toContain('is assigned to bob and carl');
    await page.locator('form.decide input[name=by]').fill('bob');
    await decide(page);
    await said(page, 'bob has rejected the question');
    await page.locator('.decision:has-text("The item is rejected.")').waitFor();
    expect(itemOf('trial', 'library-3')).toMatchObject({ state: 'rejected' });
  });

  it('take an answer with the category that a person chooses', async () => {
    const page = await toRows('library-4');
    await choose(page, 'accept');
    await decide(page);
    await isAt(page, 'awaiting-answer');
    await page.locator('pre.sql >> nth=0').waitFor();
    await choose(page, 'accept');
    await page.locator('input[name=category][value=interpretive]').click();
    await decide(page);
    await said(page, 'ann has accepted the answer');
    await page.locator('.decision:has-text("The item is done.")').waitFor();
    expect(itemOf('trial', 'library-4').versions.at(-1)).toMatchObject({
      part: 'category',
      preview: 'interpretive',
    });
  });
});

describe('two people', () => {
  it('who decide at the same moment get one decision, and the second is told who was first', async () => {
    const ann = await openItem('trial', 'library-5', 'ann');
    const bob = await openItem('trial', 'library-5', 'bob');
    await choose(ann, 'accept');
    await choose(bob, 'reject');
    await bob.locator('textarea[name=reason]').fill('too easy');
    await Promise.all([decide(ann), decide(bob)]);
    const [decision, ...others] = await eventually(() => {
      const { decisions } = itemOf('trial', 'library-5');
      return decisions.length > 0 ? decisions : null;
    });
    const [winner, loser] = decision?.by === 'ann' ? [ann, bob] : [bob, ann];
    const did = decision?.by === 'ann' ? 'ann has accepted' : 'bob has rejected';
    await said(winner, `${did} the question`);
    expect(await refusal(loser, 'library-5')).toContain(`${did} the question`);
    expect(others).toEqual([]);
    expect(itemOf('trial', 'library-5').decisions).toHaveLength(1);
  });

  it('see at once that somebody has decided on the command line, and keep what they were looking at', async () => {
    const page = await openItem('trial', 'library-6', 'ann');
    await choose(page, 'edit');
    await page.locator('textarea[name=text]').fill('Which branch lent more?');
    const file = join(home, 'question.txt');
    writeFileSync(file, 'Which branch lent most?\n');
    const bob = ['dataset', 'confirm', 'trial', 'library-6', '--seen', '1', '--by', 'bob'];
    expect(await command(...bob, '--edit', file)).toMatchObject({ status: 0 });
    await page
      .locator('.decision > [role=alert]:has-text("bob has edited the question")')
      .waitFor();
    await decide(page);
    expect(await refusal(page, 'library-6')).toMatch(
      /item library-6 is not as it was seen \(1, now 2\): bob has edited the question at/,
    );
    await page.locator('button:has-text("Show it as it is now")').click();
    await page.locator('.difference ins:has-text("most?")').waitFor();
    expect(itemOf('trial', 'library-6').decisions).toHaveLength(1);
  });

  it('who annotate apart do not see each other, until a third one decides where they differ', async () => {
    const ann = await openItem('double', 'library-1', 'ann');
    await choose(ann, 'reject');
    await ann.locator('textarea[name=reason]').fill('far too vague');
    await decide(ann);
    await said(ann, 'ann has rejected the question');
    await ann.locator('text=The decision of another annotator is awaited.').waitFor();
    const bob = await openItem('double', 'library-1', 'bob');
    expect(await bob.locator('#app').innerText()).not.toMatch(/rejected|vague/);
    const sent = await bob.evaluate(
      `fetch('/data/datasets/double/items/library-1').then((reply) => reply.text())`,
    );
    expect(sent).not.toMatch(/rejected|vague/);
    await choose(bob, 'accept');
    await decide(bob);
    await said(bob, 'bob has accepted the question');
    const third = await openItem('double', 'library-1', 'cyd');
    await third.locator('text=Two annotators differ.').waitFor();
    await third.locator('.evidence:has-text("far too vague")').waitFor();
    await choose(third, 'accept');
    await decide(third);
    await said(third, 'cyd has accepted the question');
    await isAt(third, 'awaiting-rows');
  });
});

it('a dataset that is paused in its page asks no model, and goes on with prompts that were changed meanwhile', async () => {
  expect(await build('revised', '--items', '1')).toMatchObject({ status: 0 });
  const before = itemOf('revised', 'library-1');
  const { page } = await open('/datasets/revised');
  const press = async (name: string): Promise<void> => {
    await page.locator(`button[data-action=${name}]`).click();
    await page.locator('dialog button[type=submit]').click();
  };
  await press('Pause');
  await page.locator('.note:has-text("The dataset is paused")').waitFor();
  const asked = model.stats().received;
  const accept = ['dataset', 'confirm', 'revised', 'library-1', '--seen', String(before.revision)];
  expect(await command(...accept, '--by', 'ann', '--accept')).toMatchObject({ status: 0 });
  const told = (await command('dataset', 'prompts', 'revised')).stdout;
  const instructions = JSON.parse(told) as Record<string, string>;
  const file = join(home, 'prompts.json');
  const construct = `${instructions['construct'] ?? ''} Few rows are enough.`;
  writeFileSync(file, JSON.stringify({ ...instructions, construct }));
  expect(await build('revised', '--items', '1', '--prompts', file)).toMatchObject({
    status: 4,
    stdout: expect.stringMatching(/^paused: .*`turnwise dataset resume`/) as string,
  });
  expect(model.stats().received).toBe(asked);
  await press('Resume');
  const rows = await eventually(() => {
    const { state, versions } = itemOf('revised', 'library-1');
    return state === 'awaiting-rows' ? versions.find(({ part }) => part === 'rows') : null;
  });
  const promptsOf = ({ by }: Item['versions'][number]): string =>
    by.kind === 'model' ? by.prompts : '';
  expect(promptsOf(rows)).not.toBe(before.versions.map(promptsOf)[0]);
  expect(JSON.parse((await command('dataset', 'prompts', 'revised')).stdout)).toEqual({
    ...instructions,
    construct,
  });
});
