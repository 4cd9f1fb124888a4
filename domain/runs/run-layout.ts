import { z } from 'zod';
import { sampleName, type RunId, type SampleKey } from '../ids.js';
import { scoringModes } from '../scoring/scorer-options.js';

/** Paths relative to TURNWISE_HOME. */
export const runFolder = (run: RunId): string => `runs/${run}`;

/** A folder beside `runs/`: what is in it outlives the folder of a run that is being removed. */
export const removalsFolder = 'removals';

/** Says that the removal of a run has begun. It is removed last. */
export const removalFile = (run: RunId): string => `${removalsFolder}/${run}.json`;

export const manifestFile = 'manifest.json';
/** The snapshot of the dataset. */
export const datasetFile = 'dataset.jsonl';
export const resultsFile = 'results.jsonl';
export const scoresFile = 'scores.jsonl';
export const reportFile = 'report.html';
/** What models have billed (`Bills`). Only a run with a budget has it. */
export const billsFile = 'bills.json';

export const trajectoryFile = (key: SampleKey): string => `trajectories/${sampleName(key)}.jsonl`;

/** How an answer over a database came about (`AnswerTrace`). */
export const traceFile = (key: SampleKey): string => `traces/${sampleName(key)}.json`;

/** The panels of a review (`ReviewedPanel`). @param review - 16 hexadecimal digits */
export const panelsFile = (review: string): string => `reviews/${review}/panels.jsonl`;

const turnName = (turn: number): string => String(turn).padStart(3, '0');

/** How often a question was asked from its first turn on: `retry --anew` asks it once more. From 1. */
export const askingSchema = z.object({ asking: z.int().min(1) });

/** Everything that is stored of questions before they end: a folder for each sample, by its name. */
export const turnsRoot = 'turns';

/** Which asking of a question is the current one (`askingSchema`). The first one needs no such file. */
export const askingFile = (key: SampleKey): string => `${turnsRoot}/${sampleName(key)}/asking.json`;

/** The folder of the turns of one asking. What is in it is written once. */
export const turnsFolder = (key: SampleKey, asking = 1): string =>
  `${turnsRoot}/${sampleName(key)}${asking === 1 ? '' : `/asking-${asking}`}`;

/** What a method reads from the store before the first model call. */
export const contextFile = (key: SampleKey, asking = 1): string =>
  `${turnsFolder(key, asking)}/context.json`;

/** The model's reply in a turn, and the action that was read from it. */
export const replyFile = (key: SampleKey, turn: number, asking = 1): string =>
  `${turnsFolder(key, asking)}/${turnName(turn)}.reply.json`;

/** The observation of a turn. */
export const observationFile = (key: SampleKey, turn: number, asking = 1): string =>
  `${turnsFolder(key, asking)}/${turnName(turn)}.observation.json`;

/** The results of the SQL of an answer and of its gold (`Execution`). */
export const executionFile = (key: SampleKey, asking = 1): string =>
  `${turnsFolder(key, asking)}/execution.json`;

/** The folder of the judges' replies about a question's answer. */
export const judgesFolder = (key: SampleKey, asking = 1): string =>
  `${turnsFolder(key, asking)}/judges`;

/** A file in a folder of judges' replies. */
export const judgeReplyName = ({ request }: { readonly request: string }): string =>
  `${request}.judge.json`;

/** A question's end, written once. `results.jsonl` and `scores.jsonl` are collected from these files. */
export const endFile = (key: SampleKey, asking = 1): string =>
  `${turnsFolder(key, asking)}/end.json`;

/**
 * The records of a folder of turns in one object, once the question has ended: gzip of a line for each,
 * `{name, record}`. A question that was reopened has one more for each end.
 */
export const packFile = (number: number): string => `pack${number}.jsonl.gz`;

export const isPack = (name: string): boolean => /^pack\d+\.jsonl\.gz$/.test(name);

/** Whether an object in a folder of turns is packed when the question ends. */
export const isPackable = (name: string): boolean =>
  /^(\d+\.(reply|observation)|context|execution)\.json$/.test(name);

/** The origin of a version of a run's scores. */
export const scoreVersionSchema = z.object({
  /** Version 1 is from the run itself. */
  version: z.int().min(1),
  scorer: z.enum(scoringModes),
  /** The name of the panel of judges. Null if there is none. */
  judge: z.string().nullable(),
  /** ISO 8601. Null if the run had not ended. */
  scoredAt: z.string().nullable(),
  /** The version of turnwise. */
  turnwise: z.string(),
  /** The SHA-256 of the scores file, in hex. */
  fingerprint: z.string(),
});
export type ScoreVersion = Readonly<z.infer<typeof scoreVersionSchema>>;

/** `scores/versions.json`: oldest first. `scores.jsonl` is the latest version. */
export const scoreVersionsSchema = z.array(scoreVersionSchema).min(1);

/** The scores of the last `score --rules`, under all its rules. */
export const rulesScoresFile = 'scores/rules.jsonl';

export const scoreVersionsFile = 'scores/versions.json';

/** The file of a version of the scores that is not the latest one. */
export const earlierScoresFile = (version: number): string =>
  `scores/${String(version).padStart(4, '0')}.jsonl`;
