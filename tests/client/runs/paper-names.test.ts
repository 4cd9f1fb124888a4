import { expect, it, vi } from 'vitest';
import { prepareRun } from '../../../client/runs/prepare-run.js';
import type { StoreManifest } from '../../../domain/stores/store-manifest.js';
import { newHome } from '../../support/command-line.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';

vi.mock('../../../client/services/programs.js', async (original) => ({
  ...(await original<object>()),
  packageVersion: () => '9.9.9',
  gitRevision: () => null,
}));

const id = (digit: string): string => `${digit.repeat(8)}-1111-4111-8111-111111111111`;
const papers = [
  { paperId: id('1'), file: 'geese.pdf', title: 'Counting Geese' },
  { paperId: id('2'), file: 'ducks.pdf', title: 'Counting Ducks' },
  { paperId: id('3'), file: 'more.pdf', title: 'Counting Ducks' },
];

/** A run of one question about these papers, which has a large integer and another after it, without papers. */
function runAbout(...anchors: readonly string[]) {
  const { store, config, run } = exampleManifest();
  const named = {
    anchor_pdf: anchors,
    reference_pdf: ['Counting geese', 'elsewhere', 'Counting Ducks'],
  };
  const item = { uuid: 'a', question: 'How many?', ...named };
  const text = `${JSON.stringify(item).slice(0, -1)}, "count": 9007199254740993}\n\n{"uuid":"b", "question":"Why?"}\n`;
  return prepareRun({
    ...{ home: newHome(), run, config, dataset: { path: 'd.jsonl', text } },
    store: { ...store, papers } as unknown as StoreManifest,
  });
}

it('names papers by their ids in the dataset of the run, and changes nothing else', async () => {
  const { folder } = await runAbout('geese', 'ducks.pdf', id('3'));
  const [named, other] = await folder.items();
  expect(named?.anchor_pdf).toEqual([id('1'), id('2'), id('3')]);
  // A reference that the store does not hold, or holds twice, keeps its name.
  expect(named?.reference_pdf).toEqual([id('1'), 'elsewhere', 'Counting Ducks']);
  expect(named).toMatchObject({ count: 9007199254740993n });
  expect(other?.anchor_pdf).toEqual([]);
  const byIds = await runAbout(id('1'), id('2'), id('3'));
  expect(await byIds.folder.items()).toEqual(await folder.items());
});

it.each([
  [
    'counting ducks',
    /may mean several by question a: 'counting ducks' names 2 papers: 2.*ducks\.pdf.*; 3.*more\.pdf/,
  ],
  ['swans', /d\.jsonl: store .* does not hold paper swans of question a; `turnwise store show/],
])('refuses %s before anything is written', async (name, why) => {
  await expect(runAbout(name)).rejects.toThrow(why);
});
