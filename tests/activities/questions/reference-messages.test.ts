import { describe, expect, it } from 'vitest';
import { observe, type Observation } from '../../../activities/questions/take-action.js';
import { anyValueOfJson, type Action } from '../../../domain/agent/actions/action.js';
import { parseReply, observationMessage } from '../../../domain/agent/actions/parse-reply.js';
import type { ObservationFormatName } from '../../../domain/agent/observations/table-formats.js';
import type { Cell, TableResult } from '../../../domain/agent/observations/tool-outcome.js';
import { observationWithoutTools } from '../../../domain/agent/turn-record.js';
import type { Json } from '../../../domain/formats/python/value.js';
import { fakeTools, type ToolAnswers } from '../../support/fakes/fake-tools.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';

// Every message of hybrid-agent.md §2, in its order: as the reference words it, and as we do by default.

const { store, config } = exampleManifest();
const picture = { mimeType: 'image/png', base64: 'AAAA' };
const image = 'image_clip_clip_vit_base_patch32';
const withImages = {
  ...store,
  collections: [
    ...store.collections,
    {
      name: image,
      embedder: 'clip',
      metric: 'COSINE',
      vector: { kind: 'dense', dimensions: 512 },
      rows: 9,
    } as const,
  ],
};

const observed = (
  action: Action,
  answers: ToolAnswers,
  strict: boolean,
  observationFormat: ObservationFormatName = 'json',
): Promise<Observation> =>
  observe(
    fakeTools(answers),
    { config: { ...config, strict, observationFormat, toolTimeoutMs: 90_000 }, store: withImages },
    action,
    '',
    new AbortController().signal,
  );

/** What is asked, what the tools say to it, and the message: strictly, and by default where that differs. */
type Row = [asked: string, action: Action, answers: ToolAnswers, strictly: string, ours?: string];

async function expectMessages(
  ...[, action, answers, strictly, ours = strictly]: Row
): Promise<void> {
  expect((await observed(action, answers, true)).content).toBe(strictly);
  expect((await observed(action, answers, false)).content).toBe(ours);
}

const sql: Action = { kind: 'RetrieveFromDatabase', sql: 'SELECT n' };
const rowsOf = (...rows: (readonly Cell[])[]): ToolAnswers => {
  const type = typeof rows[0]?.[0] === 'string' ? 'VARCHAR' : 'INTEGER';
  const result: TableResult = { columns: [{ name: 'n', type }], rows, more: false };
  return { query: [{ kind: 'rows', result }] };
};
const numbers = (count: number): ToolAnswers =>
  rowsOf(...Array.from({ length: count }, (_, index) => [index]));
const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `{"n":${index}}\n`).join('');
const long = 'word '.repeat(2000).trim();

describe('RetrieveFromDatabase (§2.2)', () => {
  it.each<Row>([
    [
      'no rows',
      sql,
      rowsOf(),
      '[Warning]: The SQL execution result is empty, please check the SQL first.',
    ],
    [
      'a row',
      sql,
      numbers(1),
      `${lines(1)}\nIn total, 1 rows are displayed in JSON format.`,
      `${lines(1)}\nIn total, 1 row is displayed in JSON format.`,
    ],
    ['ten rows', sql, numbers(10), `${lines(10)}\nIn total, 10 rows are displayed in JSON format.`],
    [
      'eleven rows',
      sql,
      numbers(11),
      `${lines(10)}\n... # only display 10 rows in JSON format, more are truncated due to length constraint based on max_rows (10)`,
      `${lines(10)}\n... # 10 of 11 rows are displayed in JSON format, the rest is cut based on max_rows (10)`,
    ],
    [
      'long rows',
      sql,
      rowsOf([long], [long], [long]),
      `{"n":"${long}"}\n{"n":"${long}"}\n\n... # only display 2 rows in JSON format, more are truncated due to length constraint based on max_tokens (5000)`,
      `{"n":"${long}"}\n{"n":"${long}"}\n\n... # 2 of 3 rows are displayed in JSON format, the rest is cut based on max_tokens (5000)`,
    ],
    [
      'an error',
      sql,
      { query: [{ kind: 'sql-error', failure: 'empty', message: 'The SQL is empty.' }] },
      '[Error]: Runtime error during SQL execution and output formatting: The SQL is empty.',
    ],
    [
      'too long a time',
      sql,
      { query: [{ kind: 'sql-timeout' }] },
      '[TimeoutError]: The SQL execution is TIMEOUT given maximum 90 seconds.',
    ],
  ])('%s', expectMessages);

  it('is asked for more rows than are shown, to know how many there are', async () => {
    const tools = fakeTools({
      ...numbers(1),
      query: [...(numbers(1).query ?? []), ...(numbers(1).query ?? [])],
    });
    for (const strict of [true, false]) {
      const run = { config: { ...config, strict }, store };
      await observe(tools, run, sql, '', new AbortController().signal);
    }
    expect(tools.asked.map(({ request }) => request)).toMatchObject([
      { maxRows: 10 },
      { maxRows: 10_000 },
    ]);
  });

  it.each<[ObservationFormatName, string]>([
    ['markdown', '+---+\n| n |\n+---+\n| 0 |\n+---+'],
    ['string', ' n\n 0'],
    [
      'html',
      '<table border="1" class="dataframe">\n  <thead>\n    <tr style="text-align: right;">\n      <th>n</th>\n    </tr>\n  </thead>\n  <tbody>\n    <tr>\n      <td>0</td>\n    </tr>\n  </tbody>\n</table>',
    ],
  ])('a row as %s, without a blank line', async (format, table) => {
    expect((await observed(sql, numbers(1), true, format)).content).toBe(
      `${table}\nIn total, 1 rows are displayed in ${format.toUpperCase()} format.`,
    );
  });
});

const search = (
  changes: Partial<Extract<Action, { kind: 'RetrieveFromVectorstore' }>>,
): Action => ({
  kind: 'RetrieveFromVectorstore',
  query: 'ovens',
  collection_name: 'text_bm25_en',
  table_name: 'chunks',
  column_name: 'text_content',
  filter: '',
  limit: anyValueOfJson(5),
  ...changes,
});
const hits = (...keys: string[]): ToolAnswers => ({
  search: [
    {
      kind: 'hits',
      hits: keys.map((primaryKey) => ({
        score: 0.65324999,
        pdfId: 'p',
        pageNumber: 3,
        tableName: 'chunks',
        columnName: 'text_content',
        primaryKey,
      })),
    },
  ],
  texts: [new Map([['k', ' seen/said – so ']])],
});
const hitLine = (text: string): string =>
  `{"score":0.6532,"pdf_id":"p","page_number":3,"table_name":"chunks","column_name":"text_content","primary_key":"k","text":"${text}"}\n`;
const tables =
  "['metadata', 'pages', 'images', 'chunks', 'tables', 'sections', 'equations', 'reference']";
const refusedFilter: ToolAnswers = {
  ...hits('k'),
  tryFilter: [{ kind: 'search-error', message: 'cannot parse' }],
};
const invalid = (filter: string, why: string): string =>
  `[Error]: Filter condition ${filter.includes("'") ? `"${filter}"` : `'${filter}'`} is not valid. ${why}`;
const usePdfId = (key: string): string =>
  `\`${key}\` is not a valid field name of stored data entries in the vectorstore, please use \`pdf_id\` instead`;
const usePageNumber = (key: string): string =>
  `\`${key}\` is not a valid field name of stored data entries in the vectorstore, please use the integer \`page_number\` instead of UUID`;
const noLimit = '[Error]: Value of parameter `limit` should be a positive integer.';

describe('RetrieveFromVectorstore (§2.3)', () => {
  it.each<Row>([
    [
      'check 1: a query too long for pictures',
      search({ collection_name: image, query: 'word '.repeat(100) }),
      {},
      '[Error]: The query string is too long. You can try to shorten it.',
    ],
    ['check 2: a limit that is no number', search({ limit: anyValueOfJson('many') }), {}, noLimit],
    ['check 2: a limit of zero as text', search({ limit: anyValueOfJson('0') }), {}, noLimit],
    ['check 2: a limit of True', search({ limit: anyValueOfJson(true) }), {}, noLimit],
    [
      'check 2: a limit of zero, which only the backend of the reference refuses',
      search({ limit: anyValueOfJson(0) }),
      { search: [{ kind: 'search-error', message: 'limit 0' }] },
      '[Error]: When searching the vectorstore for context: limit 0',
      noLimit,
    ],
    [
      'check 3',
      search({ table_name: "it's" }),
      {},
      `[Error]: Table name "it's" does not have any encodable column in the Milvus vectorstore. Please choose from these tables ${tables}.`,
    ],
    [
      'check 4',
      search({ column_name: 'ordinal' }),
      {},
      "[Error]: Column name 'ordinal' is not a valid encodable column in the table 'chunks'. Please choose from these columns ['text_content'].",
    ],
    ['check 6', search({ query: '' }), {}, '[Error]: Query string is empty.'],
    [
      'check 7',
      search({ collection_name: 'text_x' }),
      {},
      `[Error]: Collection 'text_x' does not exist in the Milvus database. Please choose from these collections ['text_bm25_en', 'text_hashing_384', '${image}']`,
      `[Error]: Collection 'text_x' does not exist in the Milvus database. Please choose from these collections ['text_bm25_en', 'text_hashing_384', '${image}', 'text_fused']`,
    ],
    [
      'check 7: an unknown collection of pictures, which breaks the reference',
      search({ collection_name: 'image_x' }),
      {},
      `[Error]: Collection 'image_x' does not exist in the Milvus database. Please choose from these collections ['text_bm25_en', 'text_hashing_384', '${image}']`,
      `[Error]: Collection 'image_x' does not exist in the Milvus database. Please choose from these collections ['text_bm25_en', 'text_hashing_384', '${image}', 'text_fused']`,
    ],
    [
      'check 8',
      search({ collection_name: image }),
      {},
      `[Error]: Column 'chunks.text_content' should be encoded as text vectors, but the collection name '${image}' does not match the modality 'text'. Please choose from these collections: ['text_bm25_en', 'text_hashing_384'].`,
      `[Error]: Column 'chunks.text_content' should be encoded as text vectors, but the collection name '${image}' does not match the modality 'text'. Please choose from these collections: ['text_bm25_en', 'text_hashing_384', 'text_fused'].`,
    ],
    [
      'check 9',
      search({ output_fields: anyValueOfJson(['vector']) }),
      {},
      "[Error]: Output field 'vector' is not available in the collection 'text_bm25_en' of Milvus vectorstore. The available output fields include ['pdf_id', 'page_number', 'table_name', 'column_name', 'primary_key']",
    ],
    ...filterRows(),
    [
      'no hits',
      search({}),
      hits(),
      '[Warning]: No relevant context records found for the input query: ovens.',
    ],
    [
      'another failure',
      search({}),
      { search: [{ kind: 'search-error', message: 'gone' }] },
      '[Error]: When searching the vectorstore for context: gone',
    ],
    [
      'a hit',
      search({}),
      hits('k'),
      `${hitLine(String.raw`seen\/said \u2013 so`)}\nIn total, 1 rows are displayed in JSON format.`,
      `${hitLine('seen/said – so')}\nIn total, 1 row is displayed in JSON format.`,
    ],
    [
      'a hit without its row',
      search({}),
      hits('k', 'gone'),
      "[Error]: When searching the vectorstore for context: 'NoneType' object is not subscriptable",
      `${hitLine('seen/said – so')}\nIn total, 1 row is displayed in JSON format.`,
    ],
  ])('%s', expectMessages);

  it('hits as text, without the text strictly', async () => {
    const fields = [
      'The retrieved results are sorted from the most to least relevant based on metric type IP:',
      'Score: 0.6532',
      '    pdf_id: p',
      '    page_number: 3',
      '    table_name: chunks',
      '    column_name: text_content',
      '    primary_key: k',
    ];
    const end = (rows: string): string[] => [
      '',
      '',
      `In total, 1 ${rows} displayed in STRING format.`,
    ];
    const shown = async (strict: boolean): Promise<readonly string[]> =>
      (await observed(search({}), hits('k'), strict, 'string')).content.split('\n');
    expect(await shown(true)).toEqual([...fields, ...end('rows are')]);
    expect(await shown(false)).toEqual([...fields, '    text: seen/said – so', ...end('row is')]);
  });
});

/** Check 10: one hint for papers, one for pages, each for the first name that stands in the filter. */
function filterRows(): Row[] {
  const rows: [filter: string, why: string][] = [
    ["ref_paper_id == 'x'", `${usePdfId('ref_paper_id')}.`],
    ["paper_id == 'x'", `${usePdfId('paper_id')}.`],
    ["page_id == 'x'", `${usePageNumber('page_id')}.`],
    ["ref_page_id == 'x'", `${usePageNumber('page_id')}.`],
    ['ref_page_number == 1', `${usePageNumber('ref_page_number')}.`],
    ["paper_id == 'x' and page_id == 'y'", `${usePdfId('paper_id')}; ${usePageNumber('page_id')}.`],
    ['pdf_id ==', 'cannot parse'],
  ];
  return rows.map(([filter, why]) => [
    `check 10: ${filter}`,
    search({ filter }),
    refusedFilter,
    invalid(filter, why),
  ]);
}

it('ClassicRetrieve shows what a vector search shows (§2.4)', async () => {
  const action: Action = { kind: 'ClassicRetrieve', query: 'ovens', limit: anyValueOfJson(5) };
  for (const strict of [true, false]) {
    const [classic, vector] = await Promise.all([
      observed(action, hits('k'), strict),
      observed(search({}), hits('k'), strict),
    ]);
    expect(classic.content).toBe(vector.content);
  }
});

const view = (paper: Json, page: Json, box: Json): Action => ({
  kind: 'ViewImage',
  paper_id: anyValueOfJson(paper),
  page_number: anyValueOfJson(page),
  bounding_box: anyValueOfJson(box),
});

describe('CalculateExpr, ViewImage and GenerateAnswer (§2.5 to §2.7)', () => {
  it.each<Row>([
    ['a value', { kind: 'CalculateExpr', expr: '7 / 2' }, {}, 'The calculated result is: 3.5'],
    ['no value', { kind: 'CalculateExpr', expr: '1 / 0' }, {}, '[Error]: division by zero'],
    ['a paper that is no text', view(7, 1, []), {}, '[Error]: paper id must be a string.'],
    ['a page of zero', view('p', 0, []), {}, '[Error]: page number must be a positive integer.'],
    [
      'a box of three',
      view('p', 1, [1, 2, 3]),
      {},
      '[Error]: bounding box must be a list of 0 or 4 floats.',
    ],
    [
      'no paper',
      view('p', 1, null),
      { ofPage: [{ kind: 'no-paper' }] },
      '[Error]: paper id p does not exist.',
    ],
    [
      'no page',
      view('p', '9', ''),
      { ofPage: [{ kind: 'no-page' }] },
      '[Error]: page 9 of paper id p does not exist.',
    ],
    [
      'another failure',
      view('p', 1, [1, 2, 3, 4]),
      { ofPage: [{ kind: 'picture-error', message: 'broken' }] },
      '[Error]: broken',
    ],
    [
      'a picture',
      view('p', 1, []),
      { ofPage: [{ kind: 'picture', picture }] },
      'The extracted image is shown below.',
    ],
    [
      'an answer, as Python writes it',
      { kind: 'GenerateAnswer', answer: anyValueOfJson({ a: [0, true, null, 0.5] }) },
      {},
      "{'a': [0, True, None, 0.5]}",
    ],
  ])('%s', expectMessages);
});

describe('a reply that cannot be read (§2.8)', () => {
  it.each([
    ['strict', ''],
    ['tolerant', 'It names no action. '],
  ] as const)('is answered, %s, in one line', (strictness, reason) => {
    const style = { format: 'markdown', protocol: 'react', strictness } as const;
    const reading = parseReply('?', { actions: ['ClassicRetrieve', 'GenerateAnswer'], ...style });
    expect(observationMessage(observationWithoutTools(reading) ?? '')).toBe(
      `[Observation]: [Error]: Failed to parse a valid action from the response. ${reason}Please check the specification for these actions ['ClassicRetrieve', 'GenerateAnswer'].`,
    );
  });
});
