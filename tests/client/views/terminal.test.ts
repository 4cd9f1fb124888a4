import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { toned, type Section } from '../../../client/views/sections/section.js';
import {
  alignColumns,
  fitLines,
  plainText,
  RedrawnLines,
  sectionLines,
} from '../../../client/views/terminal.js';

it('pads every column to its widest cell, without trailing spaces', () => {
  const lines = alignColumns([
    ['run', 'ended', ''],
    ['a-long-name', '2', 'ü'],
    ['b', '10 of 12', 'why?'],
  ]);
  expect(lines.split('\n')).toEqual([
    'run          ended',
    'a-long-name  2         ü',
    'b            10 of 12  why?',
  ]);
});

function linesOn(columns: number, rows: number) {
  const written: string[] = [];
  const out = { write: (text: string): boolean => written.push(text) > 0, columns, rows };
  return { lines: new RedrawnLines(out), out, written };
}
const up = (rows: number): string => `\u001b[${rows}A\r\u001b[J`;

it('redraws lines in place, once for each change, and removes them', () => {
  const { lines, written } = linesOn(40, 24);
  lines.show(['one', 'two']);
  lines.show(['one', 'two']);
  lines.show(['three']);
  lines.clear();
  lines.clear();
  expect(written).toEqual(['one\ntwo\n', `${up(2)}three\n`, up(1)]);
});

it('wraps long lines, and finds the first line after the terminal became narrower', () => {
  const { lines, out, written } = linesOn(41, 24);
  lines.show(['a line of thirty-five characters xx', 'b']);
  out.columns = 20;
  lines.show(['c']);
  expect(written).toEqual(['a line of thirty-five characters xx\nb\n', `${up(3)}c\n`]);
});

it('shows no more lines than the terminal has', () => {
  const { lines, written } = linesOn(40, 3);
  lines.show(['one', 'two', 'three', 'four']);
  lines.clear();
  expect(written).toEqual(['one\ntwo\n', up(2)]);
});

describe('fitLines', () => {
  it.each<[string, readonly string[]]>([
    ['short', ['short']],
    ['one two three four', ['one two', '  three', '  four']],
    ['a\tb\n\u001b[31mc', ['a b [31mc']],
    ['abcdefghijklmnop', ['abcdefghij', '  klmnop']],
    ['模型模型模型', ['模型模型模', '  型']],
  ])('breaks %j', (text, lines) => expect(fitLines(text, 10)).toEqual(lines));

  it('makes no line wider than the terminal', () => {
    const text = 'the account has no credit left (模型 says so): `turnwise resume a-run` goes on';
    for (let columns = 10; columns < 90; columns += 1) {
      for (const line of fitLines(text, columns))
        expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    }
  });
});

describe('sectionLines', () => {
  const section: Section = {
    id: 'runs',
    title: 'Runs',
    words: ['two runs of which one has failed for reasons outside of its model', '  2 × down'],
    tone: 'warning',
    notes: [],
    tables: [
      {
        caption: 'Runs',
        heads: ['run', 'state', 'method', 'score'],
        names: 2,
        rows: [
          ['a-run', toned('done, 3 failed', 'bad'), 'chain_of_thought', '0.801'],
          ['模型', 'running', 'react', null],
        ],
      },
    ],
  };

  it('drops the last columns and wraps prose where the terminal is narrow, and says which', () => {
    expect(plainText(sectionLines([section], 40)).split('\n')).toEqual([
      'two runs of which one has failed for',
      '  reasons outside of its model',
      '  2 × down',
      '',
      'run    state           method',
      'a-run  done, 3 failed  chain_of_thought',
      '模型   running         react',
      'not shown for want of width: score',
    ]);
    expect(plainText(sectionLines([section], 30))).toContain(
      'run    state\na-run  done, 3 failed\n模型   running\nnot shown for want of width:\n  method, score',
    );
  });

  it('never drops a name', () => {
    expect(plainText(sectionLines([section], 10))).toContain('a-run  done, 3 failed\n');
    const list = {
      ...section,
      tables: section.tables.map((table) => ({ ...table, isList: true as const })),
    };
    expect(plainText(sectionLines([list], 10))).toContain('run\na-run\n模型\nnot shown');
  });

  it('neither drops nor wraps where there is no terminal', () => {
    const text = plainText(sectionLines([section]));
    expect(text).toMatch(/^two runs .* model$/m);
    expect(text).toMatch(/^a-run .* 0\.801$/m);
  });

  it('says of its parts how they are', () => {
    const toned = sectionLines([section])
      .flat()
      .filter(({ tone }) => tone !== undefined);
    expect(toned).toEqual([
      ...section.words.map((text) => ({ text, tone: 'warning' })),
      { text: 'done, 3 failed  ', tone: 'bad' },
    ]);
  });
});
