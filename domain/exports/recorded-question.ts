import type { Briefing } from '../questions/briefing.js';
import type { FinishedTurn, QuestionMaterial } from '../questions/conversation.js';
import type { DatasetItem } from '../questions/dataset-item.js';
import type { Result } from '../questions/result.js';
import type { Score } from '../questions/score.js';
import { finishedTurn, type StoredTurn } from '../questions/stored-turn.js';
import type { RunManifest } from '../runs/run-manifest.js';

/** One question in one epoch that has ended, with all that its run's files hold of it. */
export interface RecordedQuestion {
  readonly manifest: RunManifest;
  readonly item: DatasetItem;
  readonly result: Result;
  readonly score: Score | null;
  /** Null where its method needs none. */
  readonly briefing: Briefing | null;
  /** In order, from the first. */
  readonly turns: readonly StoredTurn[];
}

export const materialOf = ({ manifest, item, briefing }: RecordedQuestion): QuestionMaterial => ({
  manifest,
  item,
  briefing,
});

/** Its turns; one whose action never came to an end is there without what the model would have been told. */
export const shownTurns = ({ turns }: RecordedQuestion): readonly FinishedTurn[] =>
  turns.map((turn) => finishedTurn(turn) ?? { reply: turn.reply, observation: '' });

/** The model that replied, as its provider names it; as the run asks for it where none did. */
export const modelOf = ({ result, manifest }: RecordedQuestion): string =>
  result.model ?? manifest.config.model.name;
