import { describe, expect, it } from 'vitest';
import { findRunningHeads } from '../../../domain/extraction/furniture.js';
import { contentOf, type LineSpec } from '../../support/extraction/pdf-content.js';

const body: readonly LineSpec[] = [
  { text: 'Ovens are heated with wood.', y: 120 },
  { text: 'Bread is baked at night.', y: 132 },
  { text: 'Flour is sold by weight.', y: 144 },
  { text: 'Salt is sold by weight.', y: 156 },
];
const page = (...around: readonly LineSpec[]): readonly LineSpec[] => [...around, ...body];
const longPage: readonly LineSpec[] = [120, 132, 144, 156].map((y) => ({
  text: 'Ovens are heated with wood at night.',
  y,
}));
const headed = (print: object): readonly LineSpec[] => [
  { text: 'C. Baker', y: 50, ...print },
  { text: 'A Study', x: 400, y: 50, ...print },
];
const small = { text: '3 The survey ended in May', fontSize: 8 };
const at = (y: number, text: string): LineSpec => ({ text, y });

describe('running heads', () => {
  it.each<[string, readonly (readonly LineSpec[])[], readonly string[]]>([
    ['are page numbers', [page(at(760, '1')), page(at(760, '2'))], ['1', '2']],
    ['are Roman page numbers', [page(at(760, 'iii')), page(at(760, 'iv'))], ['iii', 'iv']],
    [
      'may differ on left and right pages',
      [1, 2, 3, 4].map((number) =>
        page(at(50, number % 2 ? `A Study ${number}` : `${number} C. Baker`)),
      ),
      ['A Study 1', '2 C. Baker', 'A Study 3', '4 C. Baker'],
    ],
    [
      'may change with the section',
      [page(at(50, 'Ovens 1')), page(at(50, 'Ovens 2')), page(at(50, 'Heat 3'))],
      ['Ovens 1', 'Ovens 2', 'Heat 3'],
    ],
    [
      'are stamps in the margin',
      [page({ text: 'arXiv:2601.00001', x: 10, fontSize: 2, upright: false })],
      ['arXiv:2601.00001'],
    ],
    ['are no lines of the text', [page(), page()], []],
    ['are no heads of one page', [page(at(50, 'A Study')), page()], []],
    [
      'may be on one page, in print of their own',
      [longPage, [...headed({ fontSize: 8 }), ...longPage], longPage],
      ['A Study', 'C. Baker'],
    ],
    [
      'may be on one page, in another font',
      [longPage, [...headed({ font: 'Italic' }), ...longPage]],
      ['A Study', 'C. Baker'],
    ],
    ['are no notes at the foot of one page', [longPage, [...longPage, { ...small, y: 760 }]], []],
    ['are no captions where text begins', [longPage, [{ ...small, y: 118 }, ...longPage]], []],
    ['do not stand in the middle', [page(at(400, '1')), page(at(400, '2'))], []],
  ])('%s', (_, pages, heads) => {
    expect([...findRunningHeads(contentOf(pages))].map(({ text }) => text).sort()).toEqual(
      [...heads].sort(),
    );
  });
});
