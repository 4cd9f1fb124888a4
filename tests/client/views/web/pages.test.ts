import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { actionPaths, pagePaths, partPaths } from '../../../../client/views/page/page-paths.js';
import { textOf, type QuestionTable } from '../../../../client/views/page/question-table.js';
import type {
  ComparisonData,
  EvaluationData,
  PlotsData,
  QuestionData,
  RunData,
  RunsData,
  SidesData,
  StoreData,
} from '../../../../client/views/web/page-data.js';
import { newestTurns } from '../../../../client/views/web/pages/run-page.js';
import { viewRoutes } from '../../../../client/views/web/routes.js';
import { ViewHome } from '../../../../client/views/web/view-home.js';
import type { Loaded, PathParameters } from '../../../../client/views/web/view-page.js';
import type { Paper } from '../../../../domain/extraction/paper.js';
import { runIdSchema } from '../../../../domain/ids.js';
import type { RunManifest } from '../../../../domain/runs/run-manifest.js';
import { environmentSchema } from '../../../../domain/settings.js';
import { exampleObservation, sampleKey } from '../../../support/runs/example-records.js';
import { recordedRun } from '../../../support/runs/recorded-run.js';
import { runInFolder } from '../../../support/runs/run-in-folder.js';
import { readPaper, writeStore } from '../../../support/stores/kept-paper.js';

const ended = (manifest: RunManifest): RunManifest => ({
  ...manifest,
  status: 'done',
  endedAt: '2026-01-01T01:00:00.000Z',
});

let opened: ViewHome | null = null;
afterEach(() => opened?.close());

/** A home with one run of every kind of question, and the function that loads a page. */
async function homeWithRun() {
  const recorded = await recordedRun(ended);
  const { home, manifest } = recorded;
  const view = new ViewHome(environmentSchema.parse({ TURNWISE_HOME: home }));
  opened = view;
  const routes = viewRoutes(view);
  const load = (path: string, parameters: PathParameters = {}): Promise<Loaded> => {
    const page = [...routes.pages, ...routes.parts].find((each) => each.path === path);
    if (page === undefined) throw new Error(`no page ${path}`);
    return page.load(parameters);
  };
  const act = async (path: string, parameters: PathParameters, body: unknown): Promise<string> => {
    const action = routes.actions.find((each) => each.path === path);
    if (action === undefined) throw new Error(`no action ${path}`);
    return action.act(parameters, body);
  };
  return { ...recorded, run: manifest.run, view, routes, load, act };
}

describe('the list of runs', () => {
  it('has the score with its interval once it is computed, the cost and the counts', async () => {
    const { load, run, home } = await homeWithRun();
    await load('/');
    // It is computed in the background.
    const row = await until(async () => {
      const { runs } = (await load('/')).data as RunsData;
      return runs[0]?.scores?.[0]?.interval ? runs[0] : null;
    });
    expect(row).toMatchObject({
      run,
      state: 'done',
      method: 'hybrid_react',
      ended: 6,
      samples: 12,
      failed: 1,
      scores: [{ scale: '', mean: 0.25, interval: { low: expect.any(Number) as number } }],
      cost: '$0.0080',
    });
    expect(((await load('/')).data as RunsData).home).toBe(home);
  });

  it('is empty without runs, and is read again by itself', async () => {
    const view = new ViewHome(
      environmentSchema.parse({ TURNWISE_HOME: join(runInFolder([]).home, 'none') }),
    );
    opened = view;
    const page = viewRoutes(view).pages[0];
    expect(await page?.load({})).toEqual({
      data: { home: view.environment.TURNWISE_HOME, runs: [], stores: [] },
      refreshMs: 2_000,
    });
  });
});

describe('the page of a store', () => {
  const scan = { ...readPaper().pages[0], unusable: 'it is a scan' } as Paper['pages'][number];

  it('has its papers, what was read of them, and what may be missing', async () => {
    const { load, home } = await homeWithRun();
    writeStore(home, 'birds', [
      { file: 'geese.pdf', paper: readPaper(), pdf: null },
      { file: 'scan.pdf', paper: readPaper({ title: 'A Scan', pages: [scan] }), pdf: null },
    ]);
    expect((await load('/')).data).toMatchObject({ stores: ['birds'] });
    const { columns, papers, sections } = (await load('/stores/:store', { store: 'birds' }))
      .data as StoreData;
    const [geese, scanned] = papers.map((row) =>
      Object.fromEntries(columns.map((column, at) => [column, row[at]])),
    );
    expect(geese).toMatchObject({
      ...{ title: 'Counting Geese', file: 'geese.pdf', pages: 2, passages: 2 },
      found: expect.stringContaining('1 table') as string,
    });
    expect(scanned?.['warnings']).toContain('page 1 has no text that can be used: it is a scan');
    expect(sections).toContain('vectors by');
  });

  it('leads to the pages of its papers', async () => {
    const { routes, home } = await homeWithRun();
    writeStore(home, 'birds', [{ file: 'geese.pdf', paper: readPaper(), pdf: null }]);
    const page = routes.documents.find(({ path }) => path === '/papers/:store/:paper');
    const html = await page?.html({ store: 'birds', paper: 'geese.pdf' });
    expect(html).toContain('id="b-table-1"');
    await expect(page?.html({ store: 'birds', paper: 'swans' })).rejects.toThrow(/has no paper/);
    await expect(page?.html({ store: 'none', paper: 'x' })).rejects.toThrow(/no store 'none'/);
  });
});

describe('the page of a run', () => {
  it('says what the report says of a run that has ended, and does not change', async () => {
    const { load, run } = await homeWithRun();
    const { data, refreshMs } = await load('/runs/:run', { run });
    const shown = data as RunData;
    expect(refreshMs).toBeNull();
    expect(shown).toMatchObject({ state: 'done', ended: 6, samples: 12, failed: 1, live: null });
    expect(shown.failures).toEqual([{ name: 'ModelUnavailable: no route to host', count: 1 }]);
    expect(shown.sections?.headline).toContain('0.250');
    expect(shown.sections?.ledger).toContain('By outcome');
    expect(shown.sections?.ledger).not.toContain('<b>é</b>');
  });

  it('says of a run without services why it does not go on', async () => {
    const { home, manifest } = await recordedRun();
    const view = new ViewHome(environmentSchema.parse({ TURNWISE_HOME: home }));
    opened = view;
    // No services run in this home, which the view is told instead of finding out by a process.
    Object.defineProperty(view, 'services', { value: () => Promise.resolve(undefined) });
    const page = viewRoutes(view).pages.find(({ path }) => path === '/runs/:run');
    const loaded = await page?.load({ run: manifest.run });
    expect(loaded?.refreshMs).toBe(5_000);
    expect(loaded?.data).toMatchObject({ state: 'stopped', live: null, ended: 6 });
    expect((loaded?.data as RunData).stateText).toContain('turnwise up');
  });

  it.each(['unknown', '../etc', ''])('refuses the run %j', async (run) => {
    const { load } = await homeWithRun();
    await expect(load('/runs/:run', { run })).rejects.toThrow(`there is no run ${run}`);
  });

  it('lists every question with its outcome, answer and score', async () => {
    const { load, run } = await homeWithRun();
    const { columns, rows } = (await load('/runs/:run/questions', { run })).data as QuestionTable;
    expect(rows).toHaveLength(12);
    expect(columns.map(({ name }, at) => [name, textOf(rows[0]?.cells[at])])).toEqual(
      expect.arrayContaining([
        ['question', 'How many turns?'],
        ['answer', '20'],
        ['outcome', 'answered'],
        ['verdict', 'right'],
        ['score', '1.000'],
        ['turns', '3'],
      ]),
    );
    const outcome = columns.findIndex(({ name }) => name === 'outcome');
    expect(rows.filter(({ cells }) => cells[outcome] === 'not-ended')).toHaveLength(6);
  });

  it('notices that results were added', async () => {
    const { load, run, folder } = await homeWithRun();
    await load('/runs/:run/questions', { run });
    const file = join(folder, 'scores.jsonl');
    const text = readFileSync(file, 'utf8');
    // As `turnwise score` does: whole or not at all.
    writeFileSync(`${file}.new`, text.replaceAll('"score":1', '"score":0.5'));
    renameSync(`${file}.new`, file);
    const { rows } = (await load('/runs/:run/questions', { run })).data as QuestionTable;
    expect(rows[0]?.cells).toContainEqual({ text: '0.500', value: 0.5 });
  });

  it('draws the plots of the report, and makes the report itself', async () => {
    const { load, run, routes } = await homeWithRun();
    const plots = (await load(partPaths.plots, { run })).data as PlotsData;
    expect(plots.html).toContain('<svg');
    expect(plots.html).not.toContain('Calls in flight');
    const calls = (await load(partPaths.callPlots, { run })).data as PlotsData;
    expect(calls.html).toContain('Calls in flight');
    const html = await routes.documents[0]?.html({ run });
    expect(html).toContain('turnwise report');
    await expect(routes.documents[0]?.html({ run: 'unknown' })).rejects.toThrow('no run unknown');
  });

  it('shows the latest turn of each question, the newest first', async () => {
    const { view, run } = await homeWithRun();
    const folder = view.folder(runIdSchema.parse(run));
    const turns = await newestTurns(folder, [sampleKey('open')], await folder.results());
    expect(turns[0]).toMatchObject({ uuid: 'right', epoch: 1, turn: 3, action: 'GenerateAnswer' });
    expect(turns.find(({ uuid }) => uuid === 'open')).toMatchObject({
      turn: 1,
      action: 'RetrieveFromDatabase',
      text: 'SELECT count(*) FROM turns',
    });
    expect(turns.map(({ at }) => at)).toEqual([...turns.map(({ at }) => at)].sort().reverse());
  });
});

describe('the page of a question', () => {
  it('has its turns and pictures as the report has them', async () => {
    const { load, run, runFiles } = await homeWithRun();
    await runFiles.saveObservation(run, sampleKey('failed'), {
      ...exampleObservation(1, 'a page'),
      image: { mimeType: 'image/png', base64: 'aaaa' },
    });
    const loaded = await load('/runs/:run/questions/:uuid/:epoch', {
      run,
      uuid: 'failed',
      epoch: '1',
    });
    const { question, pictures, can } = loaded.data as QuestionData;
    expect(question.turns[0]?.observation).toMatchObject({ text: 'a page', picture: 0 });
    expect(pictures).toEqual(['data:image/png;base64,aaaa']);
    expect(can).toBe('retry');
    expect(loaded.refreshMs).toBeNull();
  });

  it.each([
    ['unknown', '1'],
    ['right', '3'],
    ['right', 'x'],
  ])('refuses %s in epoch %s', async (uuid, epoch) => {
    const { load, run } = await homeWithRun();
    await expect(load('/runs/:run/questions/:uuid/:epoch', { run, uuid, epoch })).rejects.toThrow(
      `no question ${uuid}`,
    );
  });
});

describe('notes', () => {
  const written = { by: 'ann', about: null, text: 'read it', tags: ['good example'] };

  it('are written on a run, found in the list of runs, and taken away', async () => {
    const { load, run, act } = await homeWithRun();
    expect(await act(actionPaths.note, { run }, written)).toMatch(
      /^run a-run has note \w+ by ann, .*: good example: read it$/,
    );
    const [row] = ((await load('/')).data as RunsData).runs;
    expect(row?.tags).toEqual(['good example']);
    const { notes } = (await load('/runs/:run', { run })).data as RunData;
    expect(notes).toMatchObject([{ by: 'ann', text: 'read it', tags: ['good example'] }]);
    const note = notes[0]?.id ?? '';
    expect(await act(actionPaths.removeNote, { run, note }, { by: 'bob' })).toMatch(/no longer/);
    expect(((await load('/runs/:run', { run })).data as RunData).notes).toEqual([]);
    await expect(act(actionPaths.removeNote, { run, note }, { by: 'bob' })).rejects.toThrow(
      `run a-run has no note ${note}`,
    );
  });

  it('are written on a question of a run, and found in the table of its questions', async () => {
    const { load, run, act } = await homeWithRun();
    // It is kept in memory, without its notes.
    expect(((await load('/runs/:run/questions', { run })).data as QuestionTable).filters).toEqual([
      ...['outcome', 'verdict', 'ruling', 'tag'],
    ]);
    await act(actionPaths.note, { run }, { ...written, about: sampleKey('failed') });
    const { columns, rows, filters } = (await load('/runs/:run/questions', { run }))
      .data as QuestionTable;
    const at = columns.findIndex(({ name }) => name === 'notes');
    expect(
      rows.flatMap(({ uuid, cells }) => (textOf(cells[at]) ? [[uuid, cells[at]]] : [])),
    ).toEqual([['failed', 'good example: read it']]);
    const noted = filters.indexOf('noted');
    expect(new Set(rows.flatMap(({ values }) => values[noted]))).toEqual(
      new Set(['without a note', 'good example']),
    );
    const loaded = await load(pagePaths.question, { run, uuid: 'failed', epoch: '1' });
    expect((loaded.data as QuestionData).question.notes).toMatchObject([{ text: 'read it' }]);
    const { notes } = (await load('/runs/:run', { run })).data as RunData;
    expect(notes).toEqual([]);
  });

  it.each([
    [{ ...written, text: '', tags: [] }, 'this is no note: needs a text or a tag'],
    [{ ...written, by: '' }, 'this is no note: by'],
    [{ ...written, about: { uuid: 'none', epoch: 1 } }, 'run a-run has no question none'],
    [{ ...written, about: { uuid: 'right', epoch: 3 } }, 'no question right in epoch 3'],
    [null, 'this is no note'],
  ])('are refused: %j', async (body, message) => {
    const { run, act } = await homeWithRun();
    await expect(act(actionPaths.note, { run }, body)).rejects.toThrow(message);
    await expect(act(actionPaths.note, { run: 'none' }, body)).rejects.toThrow('there is no run');
  });
});

describe('rulings', () => {
  const written = {
    ...{ by: 'ann', about: [sampleKey('failed')], decision: 'wrong', reason: 'it had time' },
  };

  it('are made on a result, shown with it and with the score, and withdrawn', async () => {
    const { load, run, act } = await homeWithRun();
    const question = async (): Promise<QuestionData['question']> =>
      ((await load(pagePaths.question, { run, uuid: 'failed', epoch: '1' })).data as QuestionData)
        .question;
    const scoreOfRun = async () => ((await load('/runs/:run', { run })).data as RunData).scores[0];
    const plain = await scoreOfRun();
    expect((await question()).rulings).toEqual([
      'open for a ruling: question failed: it ended as infra-error',
    ]);
    expect(await act(actionPaths.rule, { run }, written)).toMatch(
      /^run a-run has ruling \w+ on question failed by ann, .*: counted as wrong: it had time$/,
    );
    expect((await question()).rulings).toEqual([
      expect.stringMatching(
        /^ruling \w+ on question failed by ann, .*: counted as wrong: it had time$/,
      ),
    ]);
    const ruled = await scoreOfRun();
    expect(ruled?.mean).toBeLessThan(plain?.mean ?? 0);
    expect(ruled?.rulings).toMatch(/ with 1 ruling \(1 counted as wrong\); \d\.\d{3} without$/);
    const withdrawn = { ...written, by: 'bob', decision: 'withdraw', reason: 'it had none' };
    expect(await act(actionPaths.rule, { run }, withdrawn)).toMatch(
      /ruling withdrawn: it had none$/,
    );
    expect(await scoreOfRun()).toEqual(plain);
  });

  it('are found in the table of questions, with what is open', async () => {
    const { load, run, act } = await homeWithRun();
    await act(actionPaths.rule, { run }, { ...written, decision: 'exclude' });
    const { rows, filters } = (await load('/runs/:run/questions', { run })).data as QuestionTable;
    const at = filters.indexOf('ruling');
    expect(rows.map(({ uuid, epoch, values }) => [`${uuid} ${epoch}`, values[at]])).toEqual(
      expect.arrayContaining([
        ['failed 1', ['excluded']],
        ['unjudged 1', ['open for a ruling']],
        ['right 1', ['nothing in doubt']],
      ]),
    );
  });

  it('keep a run from being signed off where something is open', async () => {
    const { run, act } = await homeWithRun();
    await expect(act(actionPaths.sign, { run }, { by: 'ann' })).rejects.toThrow(
      'run a-run cannot be signed off: ',
    );
  });

  it.each([
    [{ ...written, reason: ' ' }, 'this is no ruling: reason: is needed'],
    [{ ...written, decision: 'burn' }, 'this is no ruling: decision'],
    [{ ...written, by: '' }, 'this is no ruling: by'],
    [{ ...written, about: [sampleKey('open')] }, 'question open of run a-run has not ended'],
    [{ ...written, decision: 'again' }, 'no services run'],
  ])('are refused: %j', async (body, message) => {
    const { run, act } = await homeWithRun();
    await expect(act(actionPaths.rule, { run }, body)).rejects.toThrow(message);
  });
});

describe('an evaluation', () => {
  it('has its runs in the order of their start, their scores and their differences', async () => {
    const { load, run, home, manifest } = await homeWithRun();
    const cells = [
      { name: 'other', startedAt: '2026-02-01T10:00:00.000Z', model: 'second' },
      { name: run, startedAt: '2026-01-01T00:00:00.000Z', model: 'first' },
    ];
    for (const { name, startedAt, model } of cells) {
      const folder = join(home, 'runs', name);
      if (name !== run) cpSync(join(home, 'runs', run), folder, { recursive: true });
      const evaluation = { name: 'trial', dataset: 'papers', model };
      writeFileSync(
        join(folder, 'manifest.json'),
        JSON.stringify({ ...manifest, run: name, startedAt, evaluation }),
      );
    }
    expect((await load('/evaluations')).data).toMatchObject({
      evaluations: [
        {
          evaluation: 'trial',
          state: 'done',
          runs: 2,
          samples: 24,
          startedAt: cells[1]?.startedAt,
        },
      ],
    });
    const { data } = await load('/evaluations/:evaluation', { evaluation: 'trial' });
    const { rows, sections } = data as EvaluationData;
    expect(rows.map((row) => row.run)).toEqual([run, 'other']);
    expect(sections).toMatch(/<th scope="row">papers<\/th>[^]*first[^]*second[^]*Differences/);
    await expect(load('/evaluations/:evaluation', { evaluation: 'none' })).rejects.toThrow(
      'there is no evaluation none',
    );
  });

  it('is none of the runs that belong to no evaluation', async () => {
    const { load, home } = await homeWithRun();
    expect((await load('/evaluations')).data).toEqual({ home, evaluations: [] });
  });
});

describe('a comparison', () => {
  it('has the verdict of `turnwise compare`, and both conversations of a question', async () => {
    const { load, run, home, manifest } = await homeWithRun();
    const other = join(home, 'runs', 'other');
    cpSync(join(home, 'runs', run), other, { recursive: true });
    writeFileSync(join(other, 'manifest.json'), JSON.stringify({ ...manifest, run: 'other' }));
    const { sections, questions } = (
      await load(pagePaths.comparison, { baseline: run, candidates: 'other' })
    ).data as ComparisonData;
    expect(sections).toContain('verdict-words');
    expect(questions.rows).toHaveLength(12);
    expect(questions.rows.find(({ uuid }) => uuid === 'right')?.cells.map(textOf)).toEqual(
      expect.arrayContaining(['20', 'same', '1.000']),
    );
    const sides = await load(pagePaths.sides, {
      ...{ baseline: run, candidate: 'other' },
      uuid: 'right',
      epoch: '1',
    });
    const { before, after } = sides.data as SidesData;
    expect([before.run, after.run]).toEqual([run, 'other']);
  });

  it('refuses a run against itself', async () => {
    const { load, run } = await homeWithRun();
    await expect(load(pagePaths.comparison, { baseline: run, candidates: run })).rejects.toThrow(
      'is named twice',
    );
  });
});

describe('an action', () => {
  it.each([
    ['/runs/:run/pause', {}, 'the request is not understood'],
    ['/runs/:run/retry', { anew: 1 }, 'the request is not understood'],
    ['/runs/:run/tune', {}, 'nothing is to be tuned'],
    ['/runs/:run/tune', { concurrency: '0' }, 'questions in flight, or auto'],
    ['/runs/:run/tune', { budgetUsd: 'much' }, 'or `none`'],
    ['/runs/:run/tune', { deadline: '2020-01-01T00:00:00Z' }, 'a time to come'],
  ])('%s refuses %j', async (path, body, message) => {
    const { act, run } = await homeWithRun();
    await expect(act(path, { run }, body)).rejects.toThrow(message);
  });
});

async function until<T>(look: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
