import { describe, expect, it } from 'vitest';
import {
  defaultObservationStyle,
  searchErrorObservation,
  searchObservation,
  type ObservationStyle,
  type SearchFindings,
} from '../../../../domain/agent/observations/observation.js';
import {
  hitFieldsOf,
  type SearchHit,
} from '../../../../domain/agent/observations/vector-search.js';

const tolerant = defaultObservationStyle;
const strict = { ...tolerant, strictness: 'strict' } as const;

const hit = (primaryKey: string, score: number): SearchHit => ({
  score,
  pdfId: 'p-1',
  pageNumber: 3,
  tableName: 'chunks',
  columnName: 'text_content',
  primaryKey,
});

const hits = [
  hit('a', 0.653249),
  hit('b', 0.65),
  hit('c', 1),
  hit('d', 0.03125),
  hit('e', -0.09375),
];
const texts = new Map(hits.map(({ primaryKey }) => [primaryKey, ` Text/${primaryKey} – end\n`]));

const shown = (style: ObservationStyle, changes: Partial<SearchFindings> = {}): string =>
  searchObservation(
    { query: 'q?', metric: 'COSINE', fields: hitFieldsOf('text'), hits, texts, ...changes },
    style,
  ).content;

const line = (score: string, key: string, text: string) =>
  `{"score":${score},"pdf_id":"p-1","page_number":3,"table_name":"chunks","column_name":"text_content","primary_key":"${key}","text":${text}}\n`;

describe('searchObservation', () => {
  it('shows hits in the reference’s bytes when strict', () => {
    expect(shown(strict)).toBe(
      [
        line('0.6532', 'a', String.raw`"Text\/a \u2013 end"`),
        line('0.65', 'b', String.raw`"Text\/b \u2013 end"`),
        line('1.0', 'c', String.raw`"Text\/c \u2013 end"`),
        line('0.0312', 'd', String.raw`"Text\/d \u2013 end"`),
        line('-0.0938', 'e', String.raw`"Text\/e \u2013 end"`),
        '\nIn total, 5 rows are displayed in JSON format.',
      ].join(''),
    );
  });

  it('shows pictures by their boxes, without text', () => {
    const box = [72, 90, 450, 210];
    const picture = { ...hit('i', 0.3), tableName: 'images', columnName: 'bounding_box', box };
    const fields = hitFieldsOf('image');
    expect(shown(tolerant, { hits: [picture], texts: null, fields })).toContain(
      '{"score":0.3,"bbox":"[72, 90, 450, 210]","pdf_id":"p-1","page_number":3,"table_name":"images","column_name":"bounding_box","primary_key":"i"}\n',
    );
  });

  it('shows hits readably by default', () => {
    expect(shown(tolerant, { hits: hits.slice(0, 1) })).toBe(
      `${line('0.6532', 'a', '"Text/a – end"')}\nIn total, 1 row is displayed in JSON format.`,
    );
  });

  it('shows ten of twelve hits', () => {
    expect(shown(strict, { hits: Array.from({ length: 12 }, () => hit('a', 0.5)) })).toMatch(
      /only display 10 rows in JSON format, .* based on max_rows \(10\)$/,
    );
  });

  it('shows the fields that were asked for', () => {
    expect(shown(tolerant, { hits: hits.slice(1, 2), fields: ['page_number'] })).toContain(
      '{"score":0.65,"page_number":3,"text":"Text/b – end"}',
    );
  });

  it('leaves out a hit whose text is gone, and fails on it when strict', () => {
    const some = { hits: [hit('z', 0.5), hit('b', 0.4)] };
    expect(shown(tolerant, some)).toBe(
      `${line('0.4', 'b', '"Text/b – end"')}\nIn total, 1 row is displayed in JSON format.`,
    );
    expect(shown(strict, some)).toBe(
      "[Error]: When searching the vectorstore for context: 'NoneType' object is not subscriptable",
    );
  });

  it.each([
    ['nothing was found', { hits: [] }],
    ['no text of what was found is left', { hits: [hit('z', 0.5)] }],
  ])('says so when %s', (_, changes) => {
    expect(shown(tolerant, changes)).toBe(
      '[Warning]: No relevant context records found for the input query: q?.',
    );
  });

  it('gives hits a block each in the string format, without their texts when strict', () => {
    const one = { hits: hits.slice(2, 3), metric: 'IP' } as const;
    const block = [
      'The retrieved results are sorted from the most to least relevant based on metric type IP:',
      'Score: 1.0',
      '    pdf_id: p-1',
      '    page_number: 3',
      '    table_name: chunks',
      '    column_name: text_content',
      '    primary_key: c',
    ];
    const note = (rows: string): string[] => [
      '',
      '',
      `In total, 1 ${rows} displayed in STRING format.`,
    ];
    expect(shown({ ...strict, format: 'string' }, one).split('\n')).toEqual([
      ...block,
      ...note('rows are'),
    ]);
    expect(shown({ ...tolerant, format: 'string' }, one).split('\n')).toEqual([
      ...block,
      '    text: Text/c – end',
      ...note('row is'),
    ]);
  });
});

it('words a failure as the reference does', () => {
  expect(searchErrorObservation('vectorstore', 'down').content).toBe(
    '[Error]: When searching the vectorstore for context: down',
  );
});
