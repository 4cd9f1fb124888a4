import { z } from 'zod';

export const scoringModes = ['strict', 'default'] as const;

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
