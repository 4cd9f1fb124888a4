import type { Decision } from '../../../domain/scoring/review/panel.js';
import type { StudiedPanel } from '../../../domain/scoring/review/panel-worth.js';

const decisionOf: Readonly<Record<string, Decision>> = { P: 'perfect', I: 'imperfect' };

/** `PPI-`: two who said perfect, one who said imperfect, one who is missing. */
export const decisionsOf = (votes: string): readonly (Decision | null)[] =>
  Array.from(votes, (vote) => decisionOf[vote] ?? null);

export const panel = (
  uuid: string,
  reviewers: string,
  metaReviewers: string,
  more: Partial<StudiedPanel> = {},
): StudiedPanel => ({
  uuid,
  reviewers: decisionsOf(reviewers),
  metaReviewers: decisionsOf(metaReviewers),
  ...more,
});
