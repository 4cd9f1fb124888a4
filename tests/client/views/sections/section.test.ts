import { expect, it } from 'vitest';
import { resultText } from '../../../../client/views/print-sections.js';
import type { Section } from '../../../../client/views/sections/section.js';
import { factsIn, factsNotIn, resultSubjects } from '../../../support/commands/result-subjects.js';

it.each(Object.entries(resultSubjects))('says the same of %s in every format', async (_, of) => {
  const sections = await of();
  const result = { title: 'It', sections, data: { run: 'a' } };
  expect(factsIn(sections).length).toBeGreaterThan(10);
  const markdown = resultText('markdown', result).replaceAll(/\\([|\\`*_<>[\]])/g, '$1');
  expect(factsNotIn(markdown, sections)).toEqual([]);
  const { run, sections: kept } = JSON.parse(resultText('json', result)) as {
    readonly run: string;
    readonly sections: readonly Section[];
  };
  expect(run).toBe('a');
  expect(kept).toEqual(sections);
  // Published values stand in documents only.
  const own = sections.map((section) => ({
    ...section,
    tables: section.tables.map(({ published: _published, ...table }) => table),
  }));
  expect(factsNotIn(resultText('text', result), own)).toEqual([]);
});
