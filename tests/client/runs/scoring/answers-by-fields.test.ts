import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RunFolder } from '../../../../client/runs/run-folder.js';
import { answersByFields, readRun } from '../../../../client/runs/scoring/run-scores.js';
import { groupScores } from '../../../../domain/scoring/score-ledger.js';
import { storeNameSchema } from '../../../../domain/ids.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';
import { runInFolder } from '../../../support/runs/run-in-folder.js';
import { placeAt } from '../../../support/stores/place-at.js';

const [known, unknown] = ['1', '2'].map(
  (digit) => `${digit.repeat(8)}-1111-4111-8111-111111111111`,
);

const evaluator = { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 20 } };

it('groups by papers under their titles, with the id alone where the store has no such paper', async () => {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-by-'));
  const file = join(home, 'tables');
  writeFileSync(file, '');
  const { generations } = placeAt(home);
  const { store, run } = exampleManifest();
  await generations.publish({
    ...store,
    ...{ key: 'k1', generation: 1, builtAt: '2026-01-01T00:00:00.000Z' },
    papers: [
      {
        paperId: String(known),
        title: 'Counting Geese',
        file: 'g.pdf',
        sha256: '0'.repeat(64),
        pages: 1,
      },
    ],
    files: { tables: await generations.add(storeNameSchema.parse(store.name), 'tables', file) },
  });
  runInFolder(
    [
      { uuid: 'a', question: 'How many?', anchor_pdf: [known, unknown], evaluator },
      { uuid: 'b', question: 'Where?', evaluator },
    ],
    (example) => example,
    home,
  );
  const folder = new RunFolder(home, run);
  const files = await readRun(folder);
  const groupsBy = async (field: string) =>
    groupScores(await answersByFields(folder, files, [field]), field).map(({ group }) => group);
  expect(await groupsBy('anchor_pdf')).toEqual([`Counting Geese (${known})`, unknown, '(none)']);
  expect(await groupsBy('question')).toEqual(['How many?', 'Where?']);
});
