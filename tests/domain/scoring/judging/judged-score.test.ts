import { describe, expect, it } from 'vitest';
import type { ModelConfig } from '../../../../domain/models/model-settings.js';
import {
  judgeRequest,
  requestKey,
  type JudgeReply,
} from '../../../../domain/scoring/judging/judge-request.js';
import { readJudgeReplies, type Case } from '../../../../domain/scoring/judging/judged-score.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';
import { exampleJudgeReply } from '../../../support/runs/example-records.js';
import { saysFalse, saysTrue } from '../../../support/runs/judged.js';

const judge: ModelConfig = { ...exampleManifest().config.model, name: 'a-judge' };
const answer: Case = {
  answer: { kind: 'str', value: 'a score' },
  evaluator: {
    eval_func: 'eval_reference_answer_with_llm',
    eval_kwargs: { question: 'How many?', reference_answer: 'twenty' },
  },
  mode: 'default',
};

/** What is stored when a judge has replied so, one call after the other. */
function stored(texts: readonly string[], model = judge, by = answer): readonly JudgeReply[] {
  return texts.reduce<readonly JudgeReply[]>((replies, raw) => {
    const { finding } = readJudgeReplies(by, model, { tries: 3 }, replies);
    if (finding.kind !== 'open') throw new Error('it has nothing more to say');
    const request = requestKey(judgeRequest(model, finding.question));
    return [...replies, { ...exampleJudgeReply('0', replies.length + 1), request, raw }];
  }, []);
}

describe('what a judge’s stored replies come to', () => {
  it('is a verdict once one of them can be read, however they are ordered', () => {
    const replies = stored(['Well.', 'Hm.', saysTrue]);
    const heard = readJudgeReplies(answer, judge, { tries: 3 }, replies.toReversed());
    expect(heard.finding).toMatchObject({ kind: 'scored', score: 1 });
    expect(heard.replies.map(({ raw }) => raw)).toEqual(['Well.', 'Hm.', saysTrue]);
  });

  it('is open until then, and unreadable after as many tries as there are', () => {
    expect(readJudgeReplies(answer, judge, { tries: 3 }, stored(['Well.'])).finding.kind).toBe(
      'open',
    );
    expect(readJudgeReplies(answer, judge, { tries: 1 }, stored(['Well.'])).finding).toMatchObject({
      kind: 'unscored',
      reason: 'judge-unreadable',
    });
  });

  it.each<[string, Partial<Case>, Partial<ModelConfig>]>([
    ['another answer', { answer: { kind: 'str', value: 'a dozen' } }, {}],
    [
      'another reference',
      {
        evaluator: {
          ...answer.evaluator,
          eval_kwargs: { question: 'How many?', reference_answer: 'twelve' },
        },
      },
      {},
    ],
    ['another judge', {}, { name: 'another' }],
    ['another temperature', {}, { temperature: 0.1 }],
    ['replies of another form', {}, { structuredReplies: true }],
  ])('is nothing for %s', (_name, change, settings) => {
    const heard = readJudgeReplies(
      { ...answer, ...change },
      { ...judge, ...settings },
      { tries: 3 },
      stored([saysFalse]),
    );
    expect(heard).toMatchObject({ finding: { kind: 'open' }, replies: [] });
  });

  it('holds where the model has moved, may take longer, or costs something else', () => {
    const moved: ModelConfig = {
      ...judge,
      baseUrl: 'http://127.0.0.1:2/v1',
      timeoutMs: 1,
      cache: true,
      price: { input: 1, output: 1 },
    };
    expect(
      readJudgeReplies(answer, moved, { tries: 3 }, stored([saysFalse])).finding,
    ).toMatchObject({
      score: 0,
    });
  });
});
