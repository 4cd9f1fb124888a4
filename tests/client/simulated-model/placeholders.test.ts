import { describe, expect, it } from 'vitest';
import {
  fillPlaceholders,
  placeholderProblems,
  type Row,
} from '../../../client/simulated-model/placeholders.js';

const rows: readonly Row[] = [
  {
    title: "It's a turn",
    page_number: 7,
    score: 0.5,
    text_content: 'within 1,200 turns\nor 3 turns at 12:30',
    'count_star()': 4,
    authors: ['A', null],
  },
  { title: 'Second', page_number: 9 },
];

describe('fillPlaceholders', () => {
  it.each([
    ['a number', '{{0.page_number}}', '7'],
    ['a fraction', '{{0.score}}', '0.5'],
    ['a text as a Python literal', '{{0.title}}', `"It's a turn"`],
    ['a list as a Python literal', '{{0.authors}}', "['A', None]"],
    ['a column with brackets', '{{0.count_star()}}', '4'],
    ['a later row', '{{1.title}}', "'Second'"],
    ['all rows', '{{*.page_number}}', '[7, 9]'],
    ['the rows that have the cell', '{{*.score}}', '[0.5]'],
    ['a group of a match, as text', '{{0.text_content ~ /(\\d+) turns at/}}', "'3'"],
    ['a whole match without a group', '{{0.text_content ~ /\\d+ turns at/}}', "'3 turns at'"],
    ['a match as a number', '{{#0.text_content ~ /([\\d,]+) turns/}}', '1200'],
    ['flags', '{{0.text_content ~ /(OR) 3/i}}', "'or'"],
    ['a slash in the pattern', '{{0.text_content ~ /(12:\\d{2})|a\\/b/}}', "'12:30'"],
    ['a repetition before the end', '{{0.text_content ~ /:(\\d{2})/}}', "'30'"],
    ['a match in a number', '{{0.score ~ /\\.(5)/}}', "'5'"],
    ['matches of all rows', '{{*.title ~ /^(\\w+)/}}', "['It', 'Second']"],
    ['bare text inside quotes', "'{{=0.title}}'", "'It\\'s a turn'"],
    [
      'bare text with a line break',
      '"{{=0.text_content}}"',
      '"within 1,200 turns\\nor 3 turns at 12:30"',
    ],
    ['spaces inside the braces', '{{ # 0.page_number }}', '7'],
    ['several at once', 'F(a={{0.page_number}}, b={{1.title}})', "F(a=7, b='Second')"],
    ['no placeholder', 'F(a={"b": {}})', 'F(a={"b": {}})'],
  ])('fills in %s', (_, action, expected) => {
    expect(fillPlaceholders(action, rows)).toEqual({ kind: 'filled', action: expected });
  });

  it.each([
    ['a row that is not there', '{{2.title}}'],
    ['a column that is not there', '{{0.volume}}'],
    ['a pattern that matches nothing', '{{0.title ~ /turns/}}'],
    ['a text that is no number', '{{#0.title}}'],
    ['a column that no row has', '{{*.volume}}'],
  ])('reports %s', (_, action) => {
    expect(fillPlaceholders(`F(a=${action})`, rows)).toEqual({
      kind: 'nothing-found',
      placeholder: action,
    });
  });
});

describe('placeholderProblems', () => {
  it.each([
    ['accepts the grammar', 'F({{*.a}}, {{#0.b ~ /(x)/i}})', []],
    ['names what is no placeholder', 'F({{title}})', ['not a placeholder: {{title}})']],
    ['names a broken pattern', 'F({{0.a ~ /(/}})', ['not a regular expression: {{0.a ~ /(/}}']],
  ])('%s', (_, action, expected) => {
    expect(placeholderProblems(action)).toEqual(expected);
  });
});
