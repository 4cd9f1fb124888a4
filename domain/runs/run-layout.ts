import { z } from 'zod';
import { sampleName, type RunId, type SampleKey } from '../ids.js';

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
/** What readers have noted about the run and its questions (`NoteLine`). */
export const notesFile = 'notes.jsonl';
/** What people have ruled on its results, and who has signed it off (`RulingLine`). */
export const rulingsFile = 'rulings.jsonl';
/** What models have billed (`Bills`). Only a run with a budget has it. */
export const billsFile = 'bills.json';

export const trajectoryFile = (key: SampleKey): string => `trajectories/${sampleName(key)}.jsonl`;

/** How an answer over a database came about (`AnswerTrace`). */
export const traceFile = (key: SampleKey): string => `traces/${sampleName(key)}.json`;

/** The panels of a review (`ReviewedPanel`). @param review - 16 hexadecimal digits */
export const panelsFile = (review: string): string => `reviews/${review}/panels.jsonl`;

const turnName = (turn: number): string => String(turn).padStart(3, '0');

/** One asking of a sample: each retry asks once more. Without a number, the last one. From 1. */
export type AskedSample = SampleKey & { readonly asking?: number | undefined };

/** Everything that is stored of questions before they end: a folder for each sample, by its name. */
export const turnsRoot = 'turns';

/** Where the records of an asking are. A retry goes on with the turns of an earlier asking, unless it asks anew. */
export interface Asking {
  readonly asking: number;
  /** The asking that began with the first turn. */
  readonly turnsOf: number;
}

export const firstAsking: Asking = { asking: 1, turnsOf: 1 };

/** `anew`: it begins with the first turn. */
export const askingSchema = z.object({ anew: z.boolean() });

/** Begins an asking after the first (`askingSchema`), and is created once: the last of them is the current one. */
export const askingFile = (key: SampleKey, asking: number): string =>
  `${turnsRoot}/${sampleName(key)}/asking-${asking}.json`;

/** The folder of the turns of an asking, and of those that go on with them. What is in it is written once. */
export const turnsFolder = (key: SampleKey, { turnsOf } = firstAsking): string =>
  `${turnsRoot}/${sampleName(key)}${turnsOf === 1 ? '' : `/asking-${turnsOf}`}`;

/** What a method reads from the store before the first model call. */
export const contextFile = (key: SampleKey, asking = firstAsking): string =>
  `${turnsFolder(key, asking)}/context.json`;

/** The model's reply in a turn, and the action that was read from it. */
export const replyFile = (key: SampleKey, turn: number, asking = firstAsking): string =>
  `${turnsFolder(key, asking)}/${turnName(turn)}.reply.json`;

/** The observation of a turn. */
export const observationFile = (key: SampleKey, turn: number, asking = firstAsking): string =>
  `${turnsFolder(key, asking)}/${turnName(turn)}.observation.json`;

/** The results of the SQL of an answer and of its gold (`Execution`). */
export const executionFile = (key: SampleKey, asking = firstAsking): string =>
  `${turnsFolder(key, asking)}/execution.json`;

/** What the user's own scorer concluded about an answer (`Verdict`). */
export const ownVerdictFile = (key: SampleKey, asking = firstAsking): string =>
  `${turnsFolder(key, asking)}/verdict.json`;

/** What a batch has answered to a call (`BatchedAnswer`). */
export const batchedFile = (key: SampleKey, name: string, asking = firstAsking): string =>
  `${turnsFolder(key, asking)}/${name}.batched.json`;

/** The code of a plugin, as one module. */
export const pluginFile = (sha256: string): string => `plugins/${sha256}.mjs`;

/** The folder of the judges' replies about a question's answer. */
export const judgesFolder = (key: SampleKey, asking = firstAsking): string =>
  `${turnsFolder(key, asking)}/judges`;

/** A file in a folder of judges' replies. */
export const judgeReplyName = ({ request }: { readonly request: string }): string =>
  `${request}.judge.json`;

/** The end of an asking, written once. `results.jsonl` and `scores.jsonl` are collected from these files. */
export const endFile = (key: SampleKey, asking = firstAsking): string =>
  `${turnsFolder(key, asking)}/end${asking.asking === asking.turnsOf ? '' : `-${asking.asking}`}.json`;

/**
 * The records of a folder of turns in one object, once the question has ended: gzip of a line for each,
 * `{name, record}`. A question that was reopened has one more for each end.
 */
export const packFile = (number: number): string => `pack${number}.jsonl.gz`;

export const isPack = (name: string): boolean => /^pack\d+\.jsonl\.gz$/.test(name);

/** Whether an object in a folder of turns is packed when the question ends. */
export const isPackable = (name: string): boolean =>
  /^(\d+\.(reply|observation)|[\da-f-]+\.batched|context|execution|verdict)\.json$/.test(name);

/** By whom each version of the scores is (`scoreVersionsSchema`). */
export const scoreVersionsFile = 'scores/versions.json';

/** The file of a version of the scores that is not the latest one. */
export const earlierScoresFile = (version: number): string =>
  `scores/${String(version).padStart(4, '0')}.jsonl`;
