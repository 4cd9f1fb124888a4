import { describe, expect, it } from 'vitest';
import { bodyPrint, lineOf } from '../../../domain/extraction/lines.js';
import { findEquations, latexOf } from '../../../domain/extraction/equations/find-equations.js';
import type { Box, TextRun } from '../../../domain/extraction/page-content.js';
import { contentOf, type LineSpec } from '../../support/extraction/pdf-content.js';

/** A run of 5 points a character at a place on its baseline. */
const run = (
  text: string,
  x: number,
  baseline: number,
  fontSize = 10,
  font = 'CMMI10',
): TextRun => ({
  text,
  box: [x, baseline - fontSize * 0.7, (text.length * fontSize) / 2, fontSize * 0.7],
  baseline,
  fontSize,
  font,
  bold: false,
  italic: true,
  spaced: false,
});

describe('the LaTeX of a formula', () => {
  it.each<[string, readonly TextRun[], readonly Box[], string]>([
    ['letters and operators', [run('α≤β', 0, 100)], [], '\\alpha \\leq \\beta'],
    ['mathematical letters', [run('𝑥=𝑦', 0, 100)], [], 'x=y'],
    ['functions and words', [run('log', 0, 100), run('eff', 20, 100)], [], '\\log \\mathrm{eff}'],
    ['a raised run', [run('x', 0, 100), run('2', 6, 96, 7)], [], 'x^{2}'],
    ['a lowered run', [run('x', 0, 100), run('ij', 6, 102, 7)], [], 'x_{\\mathrm{ij}}'],
    [
      'a fraction',
      [run('y', 0, 103), run('=', 10, 103), run('a+b', 20, 95), run('c', 24, 110)],
      [[20, 100, 16, 0.4]],
      'y = \\frac{a+b}{c}',
    ],
    [
      'a sum with limits',
      [
        run('X', 0, 100, 10, 'CMEX10'),
        run('i=1', 0, 110, 7),
        run('n', 1, 90, 7),
        run('x', 14, 100),
      ],
      [],
      '\\sum_{i=1}^{n} x',
    ],
    ['two rows', [run('a=b', 0, 100), run('c=d', 0, 120)], [], 'a=b \\\\ c=d'],
  ])('has %s', (_, runs, rules, latex) => {
    expect(latexOf(runs, rules)).toBe(latex);
  });
});

describe('a displayed formula', () => {
  const text = (y: number): LineSpec => ({
    text: 'Let the words of this sentence run to the end of their line.',
    y,
  });
  const formula: LineSpec = { text: 'x = α + β', x: 200, y: 130, font: 'CMMI10' };
  const found = (...lines: readonly LineSpec[]) => {
    const content = contentOf([[text(88), text(100), ...lines, text(160)]]);
    return findEquations(content, bodyPrint(content), new Set());
  };

  it('has its text, LaTeX and box, and no number without one', () => {
    expect(found(formula)).toEqual([
      {
        page: 1,
        box: [200, 121, 45, 10],
        text: 'x = α + β',
        latex: 'x = \\alpha + \\beta',
        number: null,
      },
    ]);
  });

  it('may have names as indexes', () => {
    const runs = [run('y', 200, 137), run('GLS', 205, 139, 7, 'CMR7'), run('=', 220, 137)];
    const estimate = [run('β', 230, 137), run('SUR', 235, 139, 7, 'CMR7')];
    const content = contentOf([[text(88), text(100), text(160)]]);
    const [page] = content.pages;
    const line = lineOf({ upright: true, runs: [...runs, ...estimate] });
    const pages = page ? [{ ...page, lines: [...page.lines, line] }] : [];
    const found = findEquations({ ...content, pages }, bodyPrint(content), new Set());
    expect(found).toMatchObject([{ latex: 'y_{\\mathrm{GLS}} = \\beta_{\\mathrm{SUR}}' }]);
  });

  it.each<[string, readonly LineSpec[]]>([
    ['in a line of its own', [formula, { text: '(3)', x: 520, y: 130 }]],
    [
      'at the end of its line',
      [{ text: `x = α + β${' '.repeat(9)}(3)`, x: 200, y: 130, font: 'CMMI10' }],
    ],
  ])('has a number %s', (_, lines) => {
    expect(found(...lines)).toMatchObject([{ text: 'x = α + β', number: '3' }]);
  });

  it.each<[string, LineSpec]>([
    [
      'running text with a formula',
      { text: 'where x = α + β holds for every α that was seen', y: 130 },
    ],
    ['program code', { text: 'x <- a + b', x: 90, y: 130, font: 'CMTT10' }],
    ['a piece of a line of text', { text: 'x = α', x: 380, y: 100, font: 'CMMI10' }],
    ['a number', { text: '= 12', x: 300, y: 130, font: 'Serif' }],
  ])('is not %s', (_, line) => {
    expect(found(line)).toEqual([]);
  });
});
