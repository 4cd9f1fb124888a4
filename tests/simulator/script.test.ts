import { describe, expect, it } from 'vitest';
import type { Json } from '../../domain/formats/python/value.js';
import {
  fillPlaceholders,
  fillText,
  placeholderProblems,
  type Evidence,
} from '../../simulator/script.js';

const evidence: Evidence = {
  rows: [
    { title: "It's a turn", page_number: 7, score: 0.5, 'count_star()': 4, authors: ['A', null] },
    { title: 'Second', page_number: 9 },
  ],
  texts: ['within 1,200 turns\nor 3 turns at 12:30', 'earlier, 8 questions in 99 turns'],
};

describe('fillPlaceholders', () => {
  it.each<[string, Json, Json]>([
    ['a cell', '{{0.page_number}}', 7],
    ['a cell that is no number', '{{0.title}}', "It's a turn"],
    ['a cell that is a list', '{{0.authors}}', ['A', null]],
    ['a column with brackets', '{{0.count_star()}}', 4],
    ['a later row', '{{1.title}}', 'Second'],
    ['all rows', '{{*.page_number}}', [7, 9]],
    ['the rows that have the cell', '{{*.score}}', [0.5]],
    ['a group of a match, as text', '{{/(\\d+) turns at/}}', '3'],
    ['a whole match without a group', '{{/\\d+ turns at/}}', '3 turns at'],
    ['a match as a number', '{{#/([\\d,]+) turns/}}', 1200],
    ['what only an earlier observation holds', '{{#/(\\d+) questions/}}', 8],
    ['flags', '{{/(OR) 3/i}}', 'or'],
    ['a slash in the pattern', '{{/(12:\\d{2})|a\\/b/}}', '12:30'],
    ['a repetition before the end', '{{/:(\\d{2})/}}', '30'],
    ['spaces inside the braces', '{{ # /(\\d+) questions/ }}', 8],
    ['a longer text', 'page {{0.page_number}} of {{0.title}}', "page 7 of It's a turn"],
    ['two that make up a text', '{{0.page_number}}{{1.page_number}}', '79'],
    ['a structure', { a: ['{{1.title}}', 1, null], b: '' }, { a: ['Second', 1, null], b: '' }],
    ['no placeholder', { a: '{"b": {}}' }, { a: '{"b": {}}' }],
  ])('fills in %s', (_, template, value) => {
    expect(fillPlaceholders(template, evidence)).toEqual({ kind: 'filled', value });
  });

  it.each([
    ['a row that is not there', '{{2.title}}'],
    ['a column that is not there', '{{0.volume}}'],
    ['a column that no row has', '{{*.volume}}'],
    ['a pattern that matches nothing', '{{/fireflies/}}'],
    ['a match that is no number', '{{#/turns/}}'],
  ])('reports %s', (_, placeholder) => {
    const expected = { kind: 'nothing-found', placeholder };
    expect(fillPlaceholders({ a: ['{{0.title}}', placeholder] }, evidence)).toEqual(expected);
    expect(fillText(`then ${placeholder}`, evidence)).toEqual(expected);
  });
});

describe('fillText', () => {
  it('returns every value as a text', () => {
    expect(fillText('{{0.page_number}}', evidence)).toEqual({ kind: 'filled', value: '7' });
  });
});

describe('placeholderProblems', () => {
  it.each([
    ['accepts the grammar', ['{{*.a}}, {{#/(x)/i}}'], []],
    ['names what is no placeholder', { a: '({{title}})' }, ['not a placeholder: {{title}})']],
    ['names a broken pattern', '{{/(/}}', ['not a regular expression: {{/(/}}']],
  ])('%s', (_, template, expected) => {
    expect(placeholderProblems(template)).toEqual(expected);
  });
});
