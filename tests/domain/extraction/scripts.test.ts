import { describe, expect, it, test } from 'vitest';
import { extractPaper } from '../../../domain/extraction/extract-paper.js';
import { linesOf } from '../../../domain/extraction/lines.js';
import type { TextRun } from '../../../domain/extraction/page-content.js';
import { withScripts } from '../../../domain/extraction/scripts.js';
import { contentOf, pageOf } from '../../support/extraction/pdf-content.js';

/** Marks and fonts: `10{^5}`, `x{_i}`; `/x/` is in a font of mathematics. */
function runsOf(text: string, y = 100, size = 10): readonly TextRun[] {
  const runs: TextRun[] = [];
  let x = 72;
  for (const [, mark, marked, math, plain] of text.matchAll(
    /\{([\^_])([^}]*)\}|\/([^/]*)\/|([^{/\s]+)|\s+/g,
  )) {
    const piece = marked ?? math ?? plain;
    if (piece === undefined) {
      x += 3;
      continue;
    }
    const before = runs.at(-1);
    const fontSize = mark === undefined ? size : size * 0.7;
    const baseline = y - (mark === '^' ? 0.35 : mark === '_' ? -0.15 : 0) * size;
    const spaced = before !== undefined && x - before.box[0] - before.box[2] > 2;
    const width = (piece.length * fontSize) / 2;
    runs.push({
      ...{ text: piece, baseline, fontSize, spaced, bold: false, italic: false },
      box: [x, baseline - fontSize * 0.7, width, fontSize * 0.8],
      font: math === undefined ? 'Serif' : 'CMMI10',
    });
    x += width;
  }
  return runs;
}

const pageWith = (...texts: readonly string[]) => ({
  ...pageOf([]),
  lines: linesOf(texts.map((text, at) => ({ upright: true, runs: runsOf(text, 100 + at * 14) }))),
});
const shown = (...texts: readonly string[]): string =>
  withScripts(contentOf([pageWith(...texts)]))
    .pages.flatMap(({ lines }) => lines.map(({ text }) => text))
    .join('\n');

describe('raised and lowered marks', () => {
  it.each([
    ['holds 3.2 × 10{^5} tonnes', 'holds 3.2 × 10^5 tonnes'],
    ['about 10{^−4} of it', 'about 10^-4 of it'],
    ['about 10⁵ of it and 2 m² or 5 s⁻¹', 'about 10^5 of it and 2 m^2 or 5 s^-1'],
    ['a speed of 5 m s{^−1} there', 'a speed of 5 m s^-1 there'],
    ['of y{_t-1}{^2} and NO{_3}{^-} there', 'of y_{t-1}^2 and NO_3^- there'],
    ['E = mc{^2} there, and 2{^n} of them', 'E = mc^2 there, and 2^n of them'],
    ['an area of 5 km{^2} there', 'an area of 5 km^2 there'],
    ['the values x{_i} and x{^2}', 'the values x_i and x^2'],
    ['the value x{_i+1} of R{^2}', 'the value x_{i+1} of R^2'],
    ['the ion Ca{^2+} and CO{_2} or H₂O', 'the ion Ca^2+ and CO_2 or H_2O'],
    ['a /pier/{^3} of /n/{^(1)}', 'a pier^3 of n^{(1)}'],
    ['with (a + b){^2} and sin{^2} of it', 'with (a + b)^2 and sin^2 of it'],
    ['of 2{^10} = 1024 and /2/{^n}', 'of 2^10 = 1024 and 2^n'],
    ['the base log{_10} is', 'the base log_10 is'],
  ])('%s: are scripts', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each([
    ['the pier{^3} takes 42{^1} ships', 'the pier 3 takes 42 1 ships'],
    ['the pier³ takes 42¹ ships', 'the pier 3 takes 42 1 ships'],
    ['the year 2010{^12,13} and bay.{^2} Next', 'the year 2010 12,13 and bay. 2 Next'],
    ['rows with 42{^a} of Smith{^a,b}', 'rows with 42 a of Smith a,b'],
    ['of Table 4{^2} there', 'of Table 4 2 there'],
    ['(a remark){^4} there', '(a remark) 4 there'],
    ['{^1}Institute of Ports', '1 Institute of Ports'],
    ['cut into 3{^1}⁄{_2} pieces', 'cut into 3 1⁄2 pieces'],
    ['of CO{_2}{^3} there', 'of CO_2 3 there'],
  ])('%s: are notes', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each(['the 4{^th} ship', 'the 2{^e} ship', 'a value 0.42{^*} there', 'at 45{^◦} there'])(
    '%s: are parts of their word',
    (text) => {
      expect(shown(text)).toBe(text.replace(/\{\^(.*?)\}/g, '$1'));
    },
  );

  test('at numbers are notes where they begin one on the page, else exponents', () => {
    const note = '{^2}This is a note.';
    expect(shown('of 15{^2} there', note)).toContain('15 2 there');
    expect(shown('of 15{^3} there', note)).toContain('15^3 there');
  });
});

test('a mark belongs to what it stands apart from by less than a space', () => {
  const runs = runsOf('the 1 {^st} of 10 {^5} ships', 100, 16);
  const page = { ...pageOf([]), lines: linesOf([{ upright: true, runs }]) };
  const [line] = withScripts(contentOf([page])).pages[0]?.lines ?? [];
  expect(line?.text).toBe('the 1st of 10^5 ships');
});

test('marks of formulas reach passages and cells, not those of names', () => {
  const cell = (text: string, x: number, y: number) =>
    runsOf(text, y).map((run) => ({
      ...run,
      box: [run.box[0] + x, ...run.box.slice(1)] as unknown as TextRun['box'],
    }));
  const strips = [
    { upright: true, runs: runsOf('The basin holds 10{^5} tonnes of wheat in the year.', 80) },
    { upright: true, runs: runsOf('Table 1: Wheat by basin.', 200) },
    ...[
      ['Basin', 'Tonnes'],
      ['North', '3 × 10{^5}'],
      ['South', '4 × 10{^6}'],
    ].flatMap((row, at) =>
      row.map((text, column) => ({ upright: true, runs: cell(text, column * 150, 225 + at * 15) })),
    ),
  ];
  const rules = [213, 229, 260].map((y) => [70, y, 250, 0] as const);
  const paper = extractPaper(contentOf([{ ...pageOf([]), lines: linesOf(strips), rules }]));
  expect(paper.chunks[0]?.text).toContain('holds 10^5 tonnes');
  expect(paper.tables[0]?.html).toContain('<td>North</td><td>3 × 10^5</td>');
});
