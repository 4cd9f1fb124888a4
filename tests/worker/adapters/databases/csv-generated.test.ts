import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { UserError } from '../../../../domain/user-error.js';
import { importCsv } from '../../../../worker/adapters/databases/csv-file.js';
import { withDuckdb } from '../../../../worker/adapters/databases/duckdb-file.js';

const root = mkdtempSync(join(tmpdir(), 'turnwise-csvs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Numbers from 0 to below 1 that follow from a seed (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A cell as the file has it, and as a table has it in a type. */
interface Cell {
  readonly text: string;
  readonly typed: string;
}

const flaws = [
  ...['none', 'none', 'none', 'empty lines', 'trailing separators', 'one trailing separator'],
  ...['short row', 'long row', 'preamble', 'comment', 'name twice', 'no header', 'no name'],
  ...['open quotation mark', 'bare quotation mark', 'header again', 'mixed encodings', 'no end'],
] as const;
type Flaw = (typeof flaws)[number];

/** Nothing is unclear about these. */
const harmless: ReadonlySet<Flaw> = new Set<Flaw>([
  ...([
    'none',
    'empty lines',
    'trailing separators',
    'one trailing separator',
    'name twice',
  ] as const),
  ...(['no name', 'no end'] as const),
]);

interface Made {
  readonly flaw: Flaw;
  readonly bytes: Buffer;
  readonly rows: readonly (readonly Cell[])[];
}

function make(seed: number): Made {
  const next = numbersOf(seed);
  const below = (count: number): number => Math.floor(next() * count);
  const one = <T>(values: readonly T[]): T => {
    const value = values[below(values.length)];
    if (value === undefined) throw new Error('nothing to choose from');
    return value;
  };
  const flaw = one(flaws);
  const encoding = one(['utf8', 'utf8', 'utf8', 'bom', 'utf16le', 'utf16be', 'latin1'] as const);
  const separator = one([',', ',', ';', '\t', '|']);
  const lineEnd = one(['\n', '\n', '\r\n']);
  const texts = [
    'plain',
    'é à Ö',
    'two words',
    'a "quoted" word',
    'two\nlines',
    'x;y',
    'x, y',
    'a|b',
    "it's",
    ' blanks ',
  ];
  const word = (): Cell => {
    const text = one(texts);
    return { text, typed: text };
  };
  const two = (value: number): string => String(value).padStart(2, '0');
  const isoDate = (): readonly [string, string, string] => [
    String(1990 + below(40)),
    two(1 + below(12)),
    two(13 + below(15)),
  ];
  const number = (): Cell => {
    const text = String(
      below(2) === 0 ? below(1000) : 9_000_000_000_000_001n * BigInt(1 + below(900)),
    );
    return { text, typed: text };
  };
  const kinds: readonly (() => Cell)[] = [
    word,
    word,
    number,
    () => {
      const text = `${below(1000)}.${below(10)}5`;
      return { text, typed: String(Number(text)) };
    },
    () => {
      const text = `${below(1000)},${below(10)}5`;
      return { text, typed: String(Number(text.replace(',', '.'))) };
    },
    () => {
      const [year, month, day] = isoDate();
      return { text: `${year}-${month}-${day}`, typed: `${year}-${month}-${day}` };
    },
    () => {
      const [year, month, day] = isoDate();
      return { text: `${day}/${month}/${year}`, typed: `${year}-${month}-${day}` };
    },
    () => {
      const [year, month, day] = isoDate();
      return { text: `${month}-${day}-${year}`, typed: `${year}-${month}-${day}` };
    },
    () => {
      const text = below(3) === 0 ? 'NA' : String(below(90));
      return { text, typed: text === 'NA' ? '' : text };
    },
  ];
  const width = 2 + below(5);
  const columns = Array.from({ length: width }, () => one(kinds));
  // Names among nothing but texts could be texts.
  if (flaw === 'no header') columns[0] = number;
  const rows = Array.from({ length: 1 + below(25) }, () =>
    columns.map((cell): Cell => (below(12) === 0 ? { text: '', typed: '' } : cell())),
  );
  const all = below(3) === 0;
  const written = (text: string): string =>
    all || /["\n\r]/.test(text) || text.includes(separator)
      ? `"${text.replaceAll('"', '""')}"`
      : text;
  const names = columns.map((_, index) => `name ${index}`);
  if (flaw === 'name twice') names[1] = names[0] ?? '';
  if (flaw === 'no name') names[0] = '';
  const lines = [names, ...rows.map((row) => row.map(({ text }) => text))].map((cells) =>
    cells.map(written).join(separator),
  );
  const at = 1 + below(rows.length);
  const edit: Partial<Record<Flaw, () => void>> = {
    'empty lines': () => lines.splice(at, 0, '', '  '),
    'trailing separators': () => lines.forEach((line, index) => (lines[index] = line + separator)),
    'one trailing separator': () => (lines[at] = `${lines[at] ?? ''}${separator}`),
    'short row': () => (lines[at] = 'short'),
    'long row': () => (lines[at] = `${lines[at] ?? ''}${separator}more`),
    preamble: () => lines.unshift('Report of today'),
    comment: () => lines.splice(at, 0, '# a comment'),
    'no header': () => lines.shift(),
    'open quotation mark': () => (lines[at] = `"open${separator}${lines[at] ?? ''}`),
    'bare quotation mark': () => (lines[at] = `5" disk${separator}${lines[at] ?? ''}`),
    'header again': () => lines.splice(at, 0, lines[0] ?? ''),
  };
  edit[flaw]?.();
  const text = lines.join(lineEnd) + (flaw === 'no end' ? '' : lineEnd);
  const bytes = {
    utf8: () => Buffer.from(text),
    bom: () => Buffer.from(`\uFEFF${text}`),
    utf16le: () => Buffer.from(`\uFEFF${text}`, 'utf16le'),
    utf16be: () => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
    latin1: () => Buffer.from(text, 'latin1'),
  }[encoding]();
  const isMixed = flaw === 'mixed encodings';
  return {
    ...{ flaw, rows },
    bytes: isMixed
      ? Buffer.concat([Buffer.from(`é${text}`), Buffer.from('caf\xe9', 'latin1')])
      : bytes,
  };
}

/** The rows as the table has them: a text, or a value in a type. */
function expected(
  rows: Made['rows'],
  types: readonly string[],
): readonly (readonly (string | number | null)[])[] {
  // A first column without a name and without values is none.
  const from = (rows[0]?.length ?? 0) - types.length;
  return rows.map((row) =>
    row.slice(from).map(({ text, typed }, index) => {
      const type = types[index];
      const value = type === 'VARCHAR' ? text : typed;
      if (value === '') return null;
      return type === 'DOUBLE' ? Number(value) : value;
    }),
  );
}

it('reads 300 generated files whole, or refuses them in words', async () => {
  const outcomes = new Map<string, number>();
  await withDuckdb(':memory:', async (connection) => {
    for (let seed = 1; seed <= 300; seed++) {
      const { flaw, bytes, rows } = make(seed);
      const path = join(root, `t${seed}.csv${seed % 10 === 0 ? '.gz' : ''}`);
      writeFileSync(path, seed % 10 === 0 ? gzipSync(bytes) : bytes);
      const table = `t${seed}`;
      const outcome = await importCsv(connection, { path, table, settings: {} }).then(
        () => 'read',
        (error: unknown) => {
          if (!(error instanceof UserError)) throw error;
          expect(error.message, flaw).toMatch(/^\S+: (.* )?lines? \d+ .*: (mend|set|save) /);
          expect(error.message.startsWith(`${path}: `)).toBe(true);
          expect(error.message.includes('\n')).toBe(false);
          return 'refused';
        },
      );
      outcomes.set(`${flaw}: ${outcome}`, (outcomes.get(`${flaw}: ${outcome}`) ?? 0) + 1);
      if (outcome === 'refused') {
        expect(harmless.has(flaw), `seed ${seed}, ${flaw}`).toBe(false);
        continue;
      }
      const found = await connection.runAndReadAll(`FROM ${table}`);
      const types = found.columnTypes().map(String);
      const cells = found
        .getRowsJson()
        .map((row) => row.map((cell) => (typeof cell === 'bigint' ? String(cell) : cell)));
      expect(cells, `seed ${seed}, ${flaw}`).toEqual(expected(rows, types));
    }
  });
  expect(Object.fromEntries([...outcomes].toSorted())).toMatchInlineSnapshot(`
    {
      "bare quotation mark: refused": 10,
      "comment: refused": 19,
      "empty lines: read": 15,
      "header again: refused": 18,
      "long row: refused": 18,
      "mixed encodings: refused": 12,
      "name twice: read": 17,
      "no end: read": 16,
      "no header: refused": 24,
      "no name: read": 13,
      "none: read": 56,
      "one trailing separator: read": 17,
      "open quotation mark: refused": 20,
      "preamble: refused": 14,
      "short row: refused": 12,
      "trailing separators: read": 19,
    }
  `);
}, 300_000);
