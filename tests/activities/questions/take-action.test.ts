import { rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { createTakeAction } from '../../../activities/questions/take-action.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { anyValueOfJson, type Action } from '../../../domain/agent/actions/action.js';
import type { ObservationRecord } from '../../../domain/agent/turn-record.js';
import type { Deferral } from '../../../domain/runs/question-ref.js';
import type { RunConfig } from '../../../domain/runs/run-config.js';
import type { DatasetItem } from '../../../domain/scoring/dataset-item.js';
import { fakeTools, type FakeTools, type ToolAnswers } from '../../support/fakes/fake-tools.js';
import { runActivity } from '../../support/run-activity.js';
import { questionInFolder } from '../../support/runs/question-in-folder.js';

const homes: string[] = [];
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

interface Taken {
  readonly observation: ObservationRecord;
  readonly tools: FakeTools;
  /** The same turn once more, as after a crash. */
  readonly again: () => Promise<unknown>;
}

async function taking(
  action: Action,
  answers: ToolAnswers,
  {
    item = {},
    config = {},
    waits,
  }: { item?: Partial<DatasetItem>; config?: Partial<RunConfig>; waits?: Partial<Deferral> } = {},
): Promise<Taken> {
  const { home, ref, runFiles } = questionInFolder(item, (manifest) => ({
    ...manifest,
    config: { ...manifest.config, ...config },
  }));
  homes.push(home);
  const now = '2026-11-21T08:00:00.000Z';
  await runFiles.saveReply(ref.run, ref, {
    turn: 1,
    raw: '',
    reading: { kind: 'action', thought: '', action },
    model: 'm',
    tokens: null,
    costUsd: null,
    cacheHit: false,
    retries: 0,
    startedAt: now,
    endedAt: now,
  });
  const tools = fakeTools(answers);
  const takeAction = createTakeAction({ ...tools, runFiles, clock: { now: () => now } });
  const again = () => runActivity(takeAction, { ...ref, turn: 1 });
  if (waits !== undefined) expect(await again()).toMatchObject(waits);
  await again();
  const observation = await runFiles.observation(ref.run, ref, 1);
  if (observation === null) throw new Error('nothing was stored');
  return { observation, tools, again };
}

const hit = {
  score: 0.5,
  pdfId: 'p',
  pageNumber: 1,
  tableName: 'chunks',
  columnName: 'text_content',
  primaryKey: 'k',
};
const found = {
  search: [{ kind: 'hits', hits: [hit] }],
  texts: [new Map([['k', 'a text']])],
} as const satisfies ToolAnswers;

const vectorSearch = (filter: string, query = 'ovens'): Action => ({
  kind: 'RetrieveFromVectorstore',
  query,
  collection_name: 'text_bm25_en',
  table_name: 'chunks',
  column_name: 'text_content',
  filter,
  limit: anyValueOfJson(5),
});
const cells = "table_name == 'chunks' and column_name == 'text_content'";

describe('RetrieveFromVectorstore', () => {
  it('searches, joins the texts from the tables and notes what it found', async () => {
    const { observation, tools } = await taking(vectorSearch(''), found);
    expect(observation.content).toContain('"text":"a text"}');
    expect(observation.facts).toMatchObject({
      tool: 'search',
      outcome: { kind: 'found', shown: 1, cut: false },
    });
    expect(tools.asked).toMatchObject([
      { tool: 'search', request: { collection: 'text_bm25_en', filter: cells, limit: 5 } },
      { tool: 'texts', request: { tableName: 'chunks', primaryKeys: ['k'] } },
    ]);
  });

  it('tries the model’s filter alone beside searching with it', async () => {
    const { tools } = await taking(vectorSearch('page_number == 1'), {
      ...found,
      tryFilter: [{ kind: 'valid' }],
    });
    expect(tools.asked).toMatchObject([
      { tool: 'tryFilter', request: { filter: 'page_number == 1' } },
      { tool: 'search', request: { filter: `${cells} and (page_number == 1)` } },
      { tool: 'texts' },
    ]);
  });

  it('searches both collections of texts and fuses their scores', async () => {
    const action = { ...vectorSearch(''), collection_name: 'text_fused' } as const;
    const { observation, tools } = await taking(action, {
      ...found,
      search: [...found.search, ...found.search],
    });
    expect(observation.content).toContain('"score":1,');
    expect(tools.asked).toMatchObject([
      { tool: 'search', request: { collection: 'text_bm25_en', filter: cells, limit: 100 } },
      { tool: 'search', request: { collection: 'text_hashing_384', filter: cells, limit: 100 } },
      { tool: 'texts', request: { primaryKeys: ['k'] } },
    ]);
  });

  it('knows no fused search in strict mode', async () => {
    const action = { ...vectorSearch(''), collection_name: 'text_fused' } as const;
    const { observation, tools } = await taking(action, found, { config: { strict: true } });
    expect(observation.content).toContain("Collection 'text_fused' does not exist");
    expect(tools.asked).toEqual([]);
  });

  it('tells what is wrong with a filter, whatever the search says', async () => {
    const { observation } = await taking(vectorSearch('ref_paper_id == 1'), {
      ...found,
      tryFilter: [{ kind: 'search-error', message: 'no such field' }],
    });
    expect(observation.content).toMatch(
      /^\[Error\]: Filter condition .* please use `pdf_id` instead\.$/,
    );
    expect(observation.facts?.outcome).toEqual({ kind: 'failed', class: 'filter' });
  });

  it.each<[ToolAnswers, string]>([
    [{ search: [{ kind: 'search-error', message: 'bad limit' }] }, '[Error]: When searching'],
    [{ search: [{ kind: 'hits', hits: [] }] }, '[Warning]: No relevant context records'],
  ])('tells how a search ended %#', async (answers, beginning) => {
    const { observation } = await taking(vectorSearch(''), answers);
    expect(observation.content.startsWith(beginning)).toBe(true);
  });

  it('is refused without asking anybody', async () => {
    const { observation, tools } = await taking(vectorSearch('', ''), {});
    expect(observation.content).toBe('[Error]: Query string is empty.');
    expect(observation.facts).toEqual({
      tool: 'search',
      outcome: { kind: 'failed', class: 'query' },
      ms: null,
    });
    expect(tools.asked).toEqual([]);
  });
});

describe('ClassicRetrieve', () => {
  const action: Action = { kind: 'ClassicRetrieve', query: 'ovens', limit: anyValueOfJson(5) };

  it.each([
    ['hybrid_react', cells],
    ['iterative_classic_rag', `${cells} and (pdf_id == 'p-1')`],
  ] as const)(
    'searches the papers that %s means, and tries no filter of ours',
    async (method, filter) => {
      const { tools } = await taking(action, found, {
        item: { anchor_pdf: ['p-1'] },
        config: { method },
      });
      expect(tools.asked[0]).toMatchObject({
        tool: 'search',
        request: { collection: 'text_hashing_384', filter },
      });
    },
  );
});

describe('RetrieveFromDatabase', () => {
  const action: Action = { kind: 'RetrieveFromDatabase', sql: 'SELECT 1 AS n' };
  const rows = { columns: [{ name: 'n', type: 'INTEGER' }], rows: [[1]], more: false };

  it('shows rows in the format of the run', async () => {
    const answers: ToolAnswers = { query: [{ kind: 'rows', result: rows }] };
    const { observation } = await taking(action, answers, {
      config: { observationFormat: 'markdown' },
    });
    expect(observation.content).toBe(
      '| n |\n| --- |\n| 1 |\nIn total, 1 row is displayed in MARKDOWN format.',
    );
  });

  it('notes the class of an error', async () => {
    const { observation } = await taking(action, {
      query: [{ kind: 'sql-error', failure: 'binder', message: 'Binder Error: no column' }],
    });
    expect(observation.facts?.outcome).toEqual({ kind: 'failed', class: 'binder' });
  });

  it('is carried out once, however often the turn is taken', async () => {
    const { tools, again } = await taking(action, { query: [{ kind: 'rows', result: rows }] });
    await again();
    expect(tools.asked).toHaveLength(1);
  });
});

it('calculates without any tool', async () => {
  const { observation } = await taking({ kind: 'CalculateExpr', expr: '2 ** 10' }, {});
  expect(observation.content).toBe('The calculated result is: 1024');
  expect(observation.facts).toMatchObject({ tool: 'calculation', ms: null });
});

describe('QueryGraph', () => {
  const action: Action = { kind: 'QueryGraph', query: 'Why?' };

  it('asks the graph of the store, with the patience of a model call, and notes the cost', async () => {
    const { observation, tools } = await taking(action, {
      graph: [{ answer: 'Because.', costUsd: null }],
    });
    expect(observation).toMatchObject({
      content: 'Because.',
      facts: { tool: 'graph', outcome: { kind: 'found' }, costUsd: null },
    });
    expect(tools.asked).toEqual([
      {
        tool: 'graph',
        request: {
          store: 'papers',
          query: 'Why?',
          timeoutMs: 300_000,
          run: 'a-run',
          capped: false,
        },
      },
    ]);
  });

  it('waits where the budget of the run leaves too little for it', async () => {
    const need = { usd: 0.01, tokens: 0 };
    const refusal = new PortFailure('ModelDeferred', 'too little', { reason: 'budget', need });
    const { again, observation } = await taking(
      action,
      { graph: [refusal, { answer: 'Because.', costUsd: 0.5 }] },
      { waits: { kind: 'deferred', reason: 'budget', message: 'too little', need } },
    );
    expect(observation).toMatchObject({ content: 'Because.', facts: { costUsd: 0.5 } });
    expect(await again()).toEqual({ preview: 'Because.' });
  });

  it('finds nothing where the answer is empty', async () => {
    const { observation } = await taking(action, { graph: [{ answer: ' ', costUsd: 0 }] });
    expect(observation.facts?.outcome).toEqual({ kind: 'empty' });
  });
});

describe('ViewImage', () => {
  const action: Action = {
    kind: 'ViewImage',
    paper_id: anyValueOfJson('p-1'),
    page_number: anyValueOfJson('2'),
    bounding_box: anyValueOfJson([]),
  };
  const picture = { mimeType: 'image/png', base64: 'AAAA' };

  it('stores the picture beside the words', async () => {
    const { observation, tools } = await taking(action, {
      ofPage: [{ kind: 'picture', picture }],
    });
    expect(observation).toMatchObject({
      content: 'The extracted image is shown below.',
      image: picture,
    });
    expect(tools.asked).toMatchObject([{ request: { paperId: 'p-1', page: 2, box: [] } }]);
  });

  it.each<[ToolAnswers['ofPage'], string]>([
    [[{ kind: 'no-paper' }], '[Error]: paper id p-1 does not exist.'],
    [[{ kind: 'no-page' }], '[Error]: page 2 of paper id p-1 does not exist.'],
    [[{ kind: 'picture-error', message: 'it is damaged' }], '[Error]: it is damaged'],
    [[{ kind: 'picture-timeout' }], '[TimeoutError]: The page is not drawn after 60 seconds.'],
  ])('tells why there is none %#', async (ofPage, content) => {
    const { observation } = await taking(action, { ...(ofPage && { ofPage }) });
    expect(observation).toMatchObject({ content });
    expect(observation.image).toBeUndefined();
  });
});
