import { z } from 'zod';
import type { RunId, SampleKey } from '../ids.js';
import { scoringModes } from '../scoring/scorer-options.js';

/** Names inside TURNWISE_HOME. Worker and client find a run's files by these alone. */
export const runFolder = (run: RunId): string => `runs/${run}`;

export const manifestFile = 'manifest.json';
/** The dataset as it was when the run started. */
export const datasetFile = 'dataset.jsonl';
export const resultsFile = 'results.jsonl';
export const scoresFile = 'scores.jsonl';
export const reportFile = 'report.html';

const sampleName = ({ uuid, epoch }: SampleKey): string =>
  epoch === 1 ? uuid : `${uuid}.e${epoch}`;

export const trajectoryFile = (key: SampleKey): string => `trajectories/${sampleName(key)}.jsonl`;

const turnName = (turn: number): string => String(turn).padStart(3, '0');

/** What was read from the store before a question's first turn. */
export const contextFile = (key: SampleKey): string => `turns/${sampleName(key)}/briefing.json`;

/** What the model said in a turn, and what was made of it. */
export const replyFile = (key: SampleKey, turn: number): string =>
  `turns/${sampleName(key)}/${turnName(turn)}.reply.json`;

/** What came of a turn's action. */
export const observationFile = (key: SampleKey, turn: number): string =>
  `turns/${sampleName(key)}/${turnName(turn)}.observation.json`;

/** Folder of what judges said about a question's answer. */
export const judgesFolder = (key: SampleKey): string => `${turnsFolder(key)}/judges`;

/** In a folder of what judges said. @param request - key of what it answers */
export const judgeReplyName = ({ request }: { readonly request: string }): string =>
  `${request}.judge.json`;

/** All of a question's turns. */
export const turnsFolder = (key: SampleKey): string => `turns/${sampleName(key)}`;

/** Where turns go that were paid for and are asked anew: a folder each time. */
export const earlierFolder = (key: SampleKey): string => `earlier/${sampleName(key)}`;

/** A question's end, written once; `results.jsonl` and `scores.jsonl` are gathered from these. */
export const endFile = (key: SampleKey): string => `turns/${sampleName(key)}/end.json`;

/** Who made the scores of a run, and when. */
export const scoreVersionSchema = z.object({
  /** From 1, which the run made itself. */
  version: z.int().min(1),
  scorer: z.enum(scoringModes),
  /** The judges, where any were asked. */
  judge: z.string().nullable(),
  /** ISO 8601; null where the run had not ended yet. */
  scoredAt: z.string().nullable(),
  /** Of the program that scored. */
  turnwise: z.string(),
  /** SHA-256 of the file of scores, in hex. */
  fingerprint: z.string(),
});
export type ScoreVersion = Readonly<z.infer<typeof scoreVersionSchema>>;

/** `scores/versions.json`: oldest first; the last one is what `scores.jsonl` holds. */
export const scoreVersionsSchema = z.array(scoreVersionSchema).min(1);

export const scoreVersionsFile = 'scores/versions.json';

/** Where the scores of a version are kept once there is a later one. */
export const earlierScoresFile = (version: number): string =>
  `scores/${String(version).padStart(4, '0')}.jsonl`;
