import { goldTexts } from '../../scoring/gold-texts.js';
import type { RecordedQuestion } from '../recorded-question.js';
import { eventAt, secondsBetween, type InspectObject } from './inspect-object.js';
import { inspectScores, unscoredReason } from './inspect-scores.js';

/** How Inspect names the end of a question that did not come of itself; both undefined where it did, and where the failure is the model's own. */
export interface InspectEnding {
  readonly error?: InspectObject & { readonly message: string };
  readonly limit?: { readonly type: string; readonly limit: number };
}

export function inspectEnding({ manifest, result }: RecordedQuestion): InspectEnding {
  const { questionBudget, questionTimeLimitMs, contextTokens } = manifest.config;
  const { outcome, usage } = result;
  switch (outcome.kind) {
    case 'answered':
    case 'abstained':
    case 'unparseable':
      return {};
    case 'turn-limit':
      return { limit: { type: 'turn', limit: outcome.maxTurns } };
    case 'context-overflow':
      return { limit: { type: 'context', limit: contextTokens ?? usage.promptTokens } };
    case 'budget-stop':
      return {
        limit:
          questionBudget.usd === null
            ? { type: 'token', limit: questionBudget.tokens ?? usage.promptTokens }
            : { type: 'cost', limit: questionBudget.usd },
      };
    case 'deadline':
      return {
        limit: {
          type: 'time',
          limit:
            questionTimeLimitMs === null
              ? secondsBetween(result.startedAt, result.endedAt)
              : questionTimeLimitMs / 1000,
        },
      };
    case 'cancelled':
      return { limit: { type: 'operator', limit: 1 } };
    case 'infra-error':
      return {
        error: {
          message: `${outcome.failure}: ${outcome.message}`,
          traceback: '',
          traceback_ansi: '',
        },
      };
  }
}

/** What its transcript ends with: the limit or the error, the score or why there is none. */
export function endEvents(question: RecordedQuestion): readonly InspectObject[] {
  const { item, result } = question;
  const { limit, error } = inspectEnding(question);
  const reason = unscoredReason(question);
  const at = eventAt(result, result.endedAt);
  const message = `the question ended as ${result.outcome.kind}`;
  return [
    // Inspect's transcripts have no event for a full context.
    ...(limit && limit.type !== 'context'
      ? [{ event: 'sample_limit', uuid: 'limit', ...at, ...limit, message }]
      : []),
    ...(error ? [{ event: 'error', uuid: 'error', ...at, error }] : []),
    ...(reason === undefined
      ? []
      : [
          {
            event: 'info',
            uuid: 'unscored',
            ...at,
            source: 'turnwise',
            data: `unscored (${reason})`,
          },
        ]),
    ...Object.entries(inspectScores(question) ?? {}).map(([scorer, score]) => ({
      event: 'score',
      uuid: 'score',
      ...at,
      score,
      target: goldTexts(item.evaluator),
      scorer,
    })),
  ];
}
