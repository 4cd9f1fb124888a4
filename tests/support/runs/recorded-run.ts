import { anyValueOfJson, type Action } from '../../../domain/agent/actions/action.js';
import { conversation } from '../../../domain/agent/conversation.js';
import type { Outcome } from '../../../domain/agent/question-result.js';
import {
  finishedTurn,
  type ReplyRecord,
  type StoredTurn,
} from '../../../domain/agent/turn-record.js';
import type { SampleKey } from '../../../domain/ids.js';
import { noUsage } from '../../../domain/models/usage.js';
import type { EndRecord } from '../../../domain/runs/question-end.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import { datasetItemSchema } from '../../../domain/scoring/dataset-item.js';
import { unscored } from '../../../domain/scoring/verdict.js';
import { exampleEnd, exampleReply, sampleKey } from './example-records.js';
import { runInFolder, type RunInFolder } from './run-in-folder.js';

/** Text that means something to CSV, JSON, HTML, SQL and spreadsheets. */
export const hostileText =
  '=HYPERLINK("http://x","y")\r\n"it\'s", <b>é</b> \u2028 \u{1f600}, {{x}}';

export const answerAction = (answer: string): Action => ({
  kind: 'GenerateAnswer',
  answer: anyValueOfJson(answer),
});
export const sqlAction = (sql: string): Action => ({ kind: 'RetrieveFromDatabase', sql });

const evaluator = { eval_func: 'eval_string_exact_match', eval_kwargs: { gold: '20' } };

/** A question of every kind there is after a while: `questions` of a run with two epochs, most of which were begun in the first only. */
export const recordedItems = [
  { uuid: 'right', question: 'How many turns?', tags: ['text', 'a,b'], evaluator },
  { uuid: 'hostile', question: hostileText, tags: [hostileText], evaluator },
  { uuid: 'failed', question: 'And now?', evaluator },
  { uuid: 'unjudged', question: 'Why?', evaluator: { ...evaluator, eval_func: 'eval_scidqa' } },
  { uuid: 'limited', question: 'Until when?', evaluator },
  { uuid: 'open', question: 'Still there?', evaluator },
].map((item) => datasetItemSchema.parse(item));

/** The second of a turn's start, from the beginning of the year. */
const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

/** Each turn takes ten seconds: four of the model, two of its action. */
function turnOf(
  turn: number,
  action: Action | null,
  observation: string | null,
  changes: Partial<ReplyRecord> = {},
): StoredTurn {
  const begun = turn * 10;
  const answers = action === null || action.kind === 'GenerateAnswer';
  return {
    reply: exampleReply(turn, action, {
      startedAt: at(begun),
      endedAt: at(begun + 4),
      tokens: { prompt: 100, completion: 10, cached: 40, reasoning: 5 },
      costUsd: 0.001,
      ...changes,
    }),
    observation:
      answers || observation === null
        ? null
        : {
            turn,
            content: observation,
            facts: { tool: 'sql', outcome: { kind: 'found', shown: 1, cut: false }, ms: 3 },
            startedAt: at(begun + 5),
            endedAt: at(begun + 7),
          },
  };
}

const looking = turnOf(1, sqlAction('SELECT count(*) FROM turns'), 'count\n20');

interface Ending {
  readonly key: SampleKey;
  readonly turns: readonly StoredTurn[];
  /** Null where it has not ended. */
  readonly end: {
    readonly outcome: Outcome;
    readonly answer?: string;
    readonly score?: 0 | 1;
  } | null;
}

const endings: readonly Ending[] = [
  {
    key: sampleKey('right'),
    turns: [looking, turnOf(2, null, null), turnOf(3, answerAction('20'), null)],
    end: { outcome: { kind: 'answered' }, answer: '20', score: 1 },
  },
  {
    key: sampleKey('hostile'),
    turns: [
      turnOf(1, sqlAction(hostileText), hostileText, { raw: hostileText, reasoning: hostileText }),
      turnOf(2, answerAction(hostileText), null),
    ],
    end: { outcome: { kind: 'answered' }, answer: hostileText, score: 0 },
  },
  {
    key: sampleKey('failed'),
    turns: [turnOf(1, sqlAction('SELECT 1'), null)],
    end: {
      outcome: { kind: 'infra-error', failure: 'ModelUnavailable', message: 'no route to host' },
    },
  },
  {
    key: sampleKey('unjudged'),
    turns: [turnOf(1, answerAction('-5'), null, { cacheHit: true, costUsd: 0 })],
    end: { outcome: { kind: 'answered' }, answer: '-5' },
  },
  {
    key: sampleKey('limited'),
    turns: [looking],
    end: { outcome: { kind: 'turn-limit', maxTurns: 1 }, score: 0 },
  },
  { key: sampleKey('open'), turns: [looking], end: null },
  {
    key: sampleKey('right', 2),
    turns: [turnOf(1, answerAction('21'), null)],
    end: { outcome: { kind: 'answered' }, answer: '21', score: 0 },
  },
];

/** What is stored of each question: its turns, and its end where it has one. */
export const recordedEndings = endings.map(({ key, turns, end }) => ({
  key,
  turns,
  end: end && endRecord(key, turns, end),
}));

function endRecord(
  key: SampleKey,
  turns: readonly StoredTurn[],
  end: NonNullable<Ending['end']>,
): EndRecord {
  const { result, score } = exampleEnd(key, end.outcome);
  const asked = turns.filter(({ reply }) => !reply.cacheHit).length;
  return {
    result: {
      ...result,
      answer: end.answer ?? null,
      turns: turns.length,
      usage: {
        ...noUsage,
        promptTokens: asked * 100,
        completionTokens: asked * 10,
        cachedTokens: asked * 40,
        reasoningTokens: asked * 5,
        calls: asked,
        cacheHits: turns.length - asked,
      },
      costUsd: asked * 0.001,
      model: 'a-model-2026',
      startedAt: at(9),
      endedAt: at(turns.length * 10 + 8),
    },
    score: {
      ...score,
      scorer: recordedItems.find(({ uuid }) => uuid === key.uuid)?.evaluator?.eval_func ?? null,
      ...(end.score === undefined
        ? {
            verdict:
              end.outcome.kind === 'answered'
                ? unscored('needs-judge')
                : unscored('outside-failure'),
          }
        : { score: end.score, verdict: { kind: 'scored' as const, score: end.score } }),
    },
  };
}

/** A run with every kind of question, as its workers leave it: turns, ends, results, scores and trajectories. */
export async function recordedRun(
  change: (manifest: RunManifest) => RunManifest = (manifest) => manifest,
): Promise<RunInFolder> {
  const run = runInFolder(recordedItems, (example) =>
    change({
      ...example,
      dataset: { ...example.dataset, items: recordedItems.length },
      config: { ...example.config, epochs: 2 },
    }),
  );
  const { manifest, runFiles } = run;
  for (const { key, turns, end } of recordedEndings) {
    for (const { reply, observation } of turns) {
      await runFiles.saveReply(manifest.run, key, reply);
      if (observation) await runFiles.saveObservation(manifest.run, key, observation);
    }
    const item = recordedItems.find(({ uuid }) => uuid === key.uuid);
    if (end === null || item === undefined) continue;
    const told = turns.flatMap((turn) => finishedTurn(turn) ?? []);
    const trajectory = conversation(
      { manifest, item, database: null, questionContext: null },
      told,
    );
    await runFiles.saveEnd(manifest.run, key, end, trajectory);
  }
  await runFiles.publish(
    manifest.run,
    recordedEndings.flatMap(({ end }) => end ?? []),
  );
  return run;
}
