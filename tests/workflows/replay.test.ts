import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleWorkflows } from '../support/temporal.js';

/**
 * Histories of real runs (tests/replay/record.ts), each with changes that make it another one: a name in it,
 * and what stands there instead.
 */
const histories: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'ingest-paper': [['readPaper', 'readPapers']],
  // Of four files one is new, one known, one without text and one absent.
  'ingest-papers': [
    ['buildCollections', 'publishStore'],
    ['ingest/papers/pdf/', 'ingest/papers/'],
  ],
  // The store has lost its BM25 model and is mended.
  'check-store': [
    ['restorePapers', 'removeLeftovers'],
    ['buildCollections', 'publishStore'],
  ],
  'drop-store': [['"dropStore"', '"checkStore"']],
  'import-database': [['buildCollections', 'publishStore']],
  // Of the parts of two papers the last cannot be asked about within the budget.
  'enrich-papers': [
    ['"enrichItem"', '"findOpenItems"'],
    ['buildCollections', 'publishStore'],
  ],
  'judge-answers': [
    ['"findOpenJudgements"', '"judgeCase"'],
    ['"judgeCase"', '"findOpenJudgements"'],
  ],
  'provider-account': [['"providerAccountWorkflow"', '"runDatasetWorkflow"']],
  'question-answered': [['"takeAction"', '"askModel"']],
  'question-unparseable-turn': [['"endQuestion"', '"takeAction"']],
  'question-turn-limit': [['"endQuestion"', '"askModel"']],
  'question-infra-error': [['"endQuestion"', '"takeAction"']],
  'question-two-stage': [
    ['"readContext"', '"askModel"'],
    ['"takeAction"', '"askModel"'],
  ],
  'question-single-shot': [
    ['"readContext"', '"askModel"'],
    ['"endQuestion"', '"takeAction"'],
  ],
  // Plan and answer need no tool.
  'question-sequential': [['"takeAction"', '"askModel"']],
  'question-cancelled': [['"endQuestion"', '"takeAction"']],
  'run-of-several': [
    ['"openRun"', '"listSamples"'],
    ['"startQuestions"', '"collectResults"'],
  ],
  'run-continued-as-new': [
    ['"collectResults"', '"closeRun"'],
    ['"startQuestions"', '"listSamples"'],
  ],
  'run-in-last-history': [
    ['"listSamples"', '"openRun"'],
    ['"startQuestions"', '"collectResults"'],
  ],
  'review-continued-as-new': [
    ['"writeReview"', '"findOpenReviews"'],
    ['"reviewPanel"', '"judgeCase"'],
  ],
  // Its budget stops it.
  'review-in-last-history': [
    ['"findOpenReviews"', '"reviewPanel"'],
    ['"writeReview"', '"findOpenReviews"'],
  ],
  // Its first call takes two rounds of attempts.
  'question-lost-attempt': [['"askModel"', '"takeAction"']],
  'question-judged': [['"judgeAnswer"', '"askModel"']],
  'probe-models': [
    ['"countSpent"', '"openRun"'],
    ['"probeModel"', '"askModel"'],
  ],
  'run-with-budget': [['"keepBills"', '"openRun"']],
  // The question was open already, and somebody terminated it: it is started again.
  'run-with-lost-report': [
    ['"restartQuestion"', '"endQuestion"'],
    ['"startQuestions"', '"collectResults"'],
  ],
  // Edited, once in vain, with a worker that was killed while it waited.
  'dataset-item-edited': [
    ['"openItem"', '"keepItem"'],
    ['"keepEdit"', '"keepItem"'],
  ],
  'dataset-item-in-last-history': [['"keepItem"', '"makePart"']],
  // Assigned, and held up by a pause.
  'dataset-item-held': [
    ['"openItem"', '"keepItem"'],
    ['"makePart"', '"keepEdit"'],
  ],
  'build-dataset': [
    ['"listSeeds"', '"countBuildSpent"'],
    ['/item/boats-2', '/item/boats-3'],
  ],
  'run-cancelled': [['"collectResults"', '"closeRun"']],
};

const folder = join(import.meta.dirname, '../replay');
const recorded = (name: string): string => readFileSync(join(folder, `${name}.json`), 'utf8');

interface Change {
  readonly name: string;
  readonly part: string;
  readonly other: string;
}
const changes: readonly Change[] = Object.entries(histories).flatMap(([name, replacements]) =>
  replacements.map(([part, other]) => ({ name, part, other })),
);
/** Also inside of payloads, where the names of local activities stand. */
const changed = ({ name, part, other }: Change): string =>
  recorded(name)
    .replaceAll(part, other)
    .replaceAll(/(?<="data":")[^"]+/g, (payload) => {
      const text = Buffer.from(payload, 'base64').toString();
      if (!text.includes(part)) return payload;
      return Buffer.from(text.replaceAll(part, other)).toString('base64');
    });

let workflowBundle: WorkflowBundleWithSourceMap;
beforeAll(async () => {
  workflowBundle = await bundleWorkflows();
});

/** What replaying each of the texts came to, in their order: undefined where all went as recorded. */
async function replays(texts: readonly string[]): Promise<readonly (Error | undefined)[]> {
  const results = Worker.runReplayHistories(
    { workflowBundle },
    texts.map((text, index) => ({
      // Of the home in which they were recorded.
      workflowId: `recorded/${index}`,
      history: JSON.parse(text) as unknown,
    })),
  );
  const errors: (Error | undefined)[] = [];
  for await (const { error } of results) errors.push(error);
  expect(errors).toHaveLength(texts.length);
  return errors;
}

describe('a workflow', () => {
  it('has a test here for every history that was recorded', () => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
    const names = Object.keys(histories).map((name) => `${name}.json`);
    expect(names.toSorted()).toEqual(files.toSorted());
  });

  it('goes the way it went when it was recorded', async () => {
    const names = Object.keys(histories);
    const errors = await replays(names.map(recorded));
    expect(names.filter((_, index) => errors[index])).toEqual([]);
  });

  it('does not go another way', async () => {
    expect(changes.filter((change) => changed(change) === recorded(change.name))).toEqual([]);
    const errors = await replays(changes.map(changed));
    expect(
      changes.filter((_, index) => !(errors[index] instanceof DeterminismViolationError)),
    ).toEqual([]);
  });
});
