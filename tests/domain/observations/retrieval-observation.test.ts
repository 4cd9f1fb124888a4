import { describe, expect, it } from 'vitest';
import { defaultObservationStyle } from '../../../domain/observations/observation.js';
import {
  searchErrorObservation,
  searchObservation,
  searchTimeoutObservation,
  sqlErrorObservation,
  sqlObservation,
  sqlTimeoutObservation,
} from '../../../domain/observations/retrieval-observation.js';
import type { SearchHit } from '../../../domain/observations/search-hit.js';

const strict = { ...defaultObservationStyle, strictness: 'strict' } as const;

const hit = (primaryKey: string, score: number): SearchHit => ({
  score,
  pdfId: 'p-1',
  pageNumber: 3,
  tableName: 'chunks',
  columnName: 'text_content',
  primaryKey,
});

const line = (score: string, key: string, text: string) =>
  `{"score":${score},"pdf_id":"p-1","page_number":3,"table_name":"chunks","column_name":"text_content","primary_key":"${key}","text":${text}}\n`;

describe('searchObservation', () => {
  const hits = [
    hit('a', 0.653249),
    hit('b', 0.65),
    hit('c', 1),
    hit('d', 0.03125),
    hit('e', -0.09375),
  ];
  const texts = new Map(hits.map(({ primaryKey }) => [primaryKey, ` Text/${primaryKey} – end\n`]));

  it('shows hits in the reference’s bytes when strict', () => {
    expect(searchObservation({ query: 'q', hits, texts }, strict)).toBe(
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

  it('shows hits readably by default', () => {
    expect(
      searchObservation({ query: 'q', hits: hits.slice(0, 1), texts }, defaultObservationStyle),
    ).toBe(
      `${line('0.6532', 'a', '"Text/a – end"')}\nIn total, 1 rows are displayed in JSON format.`,
    );
  });

  it('shows ten of twelve hits', () => {
    const many = Array.from({ length: 12 }, () => hit('a', 0.5));
    expect(searchObservation({ query: 'q', hits: many, texts }, strict)).toMatch(
      /only display 10 rows in JSON format, .* based on max_rows \(10\)$/,
    );
  });

  it('shows a hit whose text is gone without it, and fails on it when strict', () => {
    const findings = { query: 'q', hits: [hit('z', 0.5)], texts };
    expect(searchObservation(findings, defaultObservationStyle)).toContain('"text":null}');
    expect(searchObservation(findings, strict)).toBe(
      "[Error]: When searching the vectorstore for context: 'NoneType' object is not subscriptable",
    );
  });

  it('says so when nothing was found', () => {
    expect(searchObservation({ query: 'q?', hits: [], texts }, strict)).toBe(
      '[Warning]: No relevant context records found for the input query: q?.',
    );
  });
});

describe('sqlObservation', () => {
  const columns = [{ name: 'n', type: 'INTEGER' }];

  it('says so when there are no rows', () => {
    expect(sqlObservation({ columns, rows: [], more: false }, strict)).toBe(
      '[Warning]: The SQL execution result is empty, please check the SQL first.',
    );
  });

  it('shows the rows there are', () => {
    expect(sqlObservation({ columns, rows: [[1]], more: false }, strict)).toBe(
      '{"n":1}\n\nIn total, 1 rows are displayed in JSON format.',
    );
  });
});

it.each([
  [
    sqlErrorObservation('no table t'),
    '[Error]: Runtime error during SQL execution and output formatting: no table t',
  ],
  [
    sqlTimeoutObservation(600_000),
    '[TimeoutError]: The SQL execution is TIMEOUT given maximum 600 seconds.',
  ],
  [searchErrorObservation('down'), '[Error]: When searching the vectorstore for context: down'],
  [
    searchTimeoutObservation(2500),
    '[TimeoutError]: Searching vectorstore for context is TIMEOUT given maximum 2.5 seconds.',
  ],
])('words a failure as the reference does: %s', (text, expected) => expect(text).toBe(expected));
