import { expect, it } from 'vitest';
import { datasetItemSchema, type DatasetItem } from '../../../domain/questions/dataset-item.js';
import { taskMessage } from '../../../domain/prompts/task-message.js';

it.each<[string, Partial<DatasetItem>, readonly string[]]>([
  ['nothing but a question', {}, ['[Answer Format]:']],
  [
    'a format and one paper',
    { answer_format: 'a number', anchor_pdf: ['p1'] },
    ['[Answer Format]: a number', "[Anchor PDF]: 'p1'"],
  ],
  [
    'several papers and conferences',
    { answer_format: 'a list', anchor_pdf: ['p1', 'p2'], conference: ['acl2023', 'iclr2024'] },
    [
      '[Answer Format]: a list',
      "[Anchor PDFs]: ['p1', 'p2']",
      '[Conferences]: [acl2023, iclr2024]',
    ],
  ],
  [
    'one conference and no format',
    { conference: ['acl2023'] },
    ['[Answer Format]: ', '[Conference]: acl2023'],
  ],
])('tells %s in labelled lines, with the schemas after them', (_name, fields, lines) => {
  const item = datasetItemSchema.parse({ uuid: 'q1', question: 'Why?', ...fields });
  expect(
    taskMessage(item, { kind: 'ids' }, ['[Database Schema]: x', '[Vectorstore Schema]: y']),
  ).toBe(
    ['[Question]: Why?', ...lines, '[Database Schema]: x', '[Vectorstore Schema]: y'].join('\n'),
  );
});
