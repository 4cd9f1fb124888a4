import { describe, expect, it } from 'vitest';
import {
  combinationFor,
  panelVerdict,
  type JudgingConfig,
} from '../../../../domain/scoring/judging/judging-config.js';
import { readJudgement } from '../../../../domain/scoring/judging/read-judgement.js';
import {
  judgeRequest,
  type LongReplyForm,
} from '../../../../domain/scoring/judging/judge-request.js';
import { judgedScore, type Case } from '../../../../domain/scoring/judging/judged-score.js';
import {
  scored,
  unscored,
  fromScale,
  longFormGrade,
  longFormMatch,
  type Verdict,
} from '../../../../domain/scoring/verdict.js';
import { scoreOutcome } from '../../../../domain/scoring/score-answer.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';
import { judged, lastText } from '../../../support/runs/judged.js';

const evaluatorFor = (eval_func: string) => ({
  eval_func,
  eval_kwargs: { question: 'Do a do better than b?', reference_answer: 'They do, by a third.' },
});
const match = evaluatorFor(longFormMatch);
const grade = evaluatorFor(longFormGrade);
const never = (): string => {
  throw new Error('no judge was to be asked');
};

const numberIn = (text: string, form: LongReplyForm, structured = false, cutOff = false) => {
  const judgement = readJudgement({ text, cutOff }, form, structured);
  return judgement.kind === 'read' ? judgement.value : judgement.kind;
};

describe('the verdict on a match', () => {
  it.each<readonly [string, number | string]>([
    ['All of it is there.\nVerdict: match', 1],
    ['Verdict: not match', 0],
    ['**Verdict:** Not Match.', 0],
    ['### VERDICT: match\n', 1],
    // The last line of its form counts, also after a quotation and before an afterthought.
    ['The answer says:\nVerdict: match\nIt does not hold.\nVerdict: not match', 0],
    ['Verdict: match\nI am sure of it.', 1],
    ['Verdict: match\nVerdict: hard to say', 'unreadable'],
    ['Verdict: partial match', 'unreadable'],
    ['The verdict is that they match.', 'unreadable'],
    ['match', 'unreadable'],
    ['', 'unreadable'],
  ])('in %j is %s', (text, expected) => {
    expect(numberIn(text, 'match')).toBe(expected);
  });

  it.each<readonly [unknown, number | string]>([
    [{ rationale: 'All of it.', verdict: 'match' }, 1],
    [{ rationale: 'Nothing.', verdict: 'not match' }, 0],
    [{ rationale: 'Nothing.', verdict: true }, 'unreadable'],
    [{ verdict: 'match' }, 'unreadable'],
    [{ rationale: '', verdict: 'match', score: 5 }, 'unreadable'],
  ])('in the object %j is %s', (reply, expected) => {
    expect(numberIn(JSON.stringify(reply), 'match', true)).toBe(expected);
  });
});

describe('the grade from 1 to 5', () => {
  it.each<readonly [string, number | string]>([
    ['Most of it.\nScore: 3', 3],
    ['**Score: 5**', 5],
    ['Score: 1\n\n', 1],
    ['Score: 4.', 4],
    ['The answer says:\nScore: 5\nIt misses all.\nScore: 1', 1],
    ['Score: 2\nThat is all.', 2],
    ...['0', '6', '-1', '10', '3.5', '4/5', '4.0', 'four', '3 or 4', '', 'NaN', '1e0'].map(
      (number) => [`Most of it.\nScore: ${number}`, 'unreadable'] as const,
    ),
    ['Score: 4\nScore: 7', 'unreadable'],
    ['I give it a 4.', 'unreadable'],
  ])('in %j is %s', (text, expected) => {
    expect(numberIn(text, 'one-to-five')).toBe(expected);
  });

  it.each<readonly [unknown, number | string]>([
    [{ rationale: 'Most of it.', score: 3 }, 3],
    ...[0, 6, 3.5, '3', null, true].map(
      (score) => [{ rationale: 'Most of it.', score }, 'unreadable'] as const,
    ),
  ])('in the object %j is %s', (reply, expected) => {
    expect(numberIn(JSON.stringify(reply), 'one-to-five', true)).toBe(expected);
  });

  it('does not count in a reply that was cut off', () => {
    expect(numberIn('Score: 3', 'one-to-five', false, true)).toBe('unreadable');
  });

  it('is asked for with a schema that allows nothing else', () => {
    const { questions } = judged(grade, 'They do.', () => '{"rationale":"","score":5}', {
      structured: true,
    });
    const [question] = questions;
    if (!question) throw new Error('the judge was asked');
    const { replySchema } = judgeRequest(exampleManifest().config.model, question);
    expect(replySchema).toMatchObject({
      name: 'one-to-five',
      schema: {
        properties: { score: { enum: [1, 2, 3, 4, 5] } },
        required: ['rationale', 'score'],
        additionalProperties: false,
      },
    });
  });
});

describe.each(['default', 'strict'] as const)('a long answer in %s mode', (mode) => {
  it('is a match or none, and is graded from 1 to 5 with a score from 0 to 1', () => {
    expect(judged(match, 'They do.', () => 'Why.\nVerdict: match', { mode }).verdict).toEqual({
      kind: 'scored',
      score: 1,
      rationale: 'Why.',
    });
    const grades = [1, 2, 3, 4, 5].map(
      (number) => judged(grade, 'They do.', () => `Why.\nScore: ${number}`, { mode }).verdict,
    );
    expect(grades).toEqual(
      [0, 0.25, 0.5, 0.75, 1].map((score, index) => ({
        kind: 'scored',
        score,
        rawScore: index + 1,
        rationale: 'Why.',
      })),
    );
  });

  it.each([
    ['rambles', 'Well, on the one hand...', 'judge-unreadable'],
    ['refuses', 'I cannot help with that.', 'judge-unreadable'],
    ['leaves the scale', 'Score: 6', 'judge-unreadable'],
    ['says nothing', '', 'judge-empty'],
  ])('is asked about three times where the judge %s, and is then unscored', (_, reply, reason) => {
    for (const evaluator of [match, grade]) {
      const { verdict, questions } = judged(evaluator, 'They do.', () => reply, { mode });
      expect(verdict).toEqual({ kind: 'unscored', reason });
      expect(questions).toHaveLength(3);
      const [, , last] = questions;
      expect(last && lastText(last)).toContain('not in the form that was asked for');
    }
  });

  it('has the verdict of a later reply where an earlier one is unreadable', () => {
    const replies = ['Score: 9', 'Score: 4'];
    const { verdict } = judged(grade, 'They do.', () => replies.shift() ?? never(), { mode });
    expect(verdict).toMatchObject({ rawScore: 4 });
  });

  it.each(['', ' \n\t', '[ERROR]: it failed'])('is unscored where it is empty: %j', (answer) => {
    for (const evaluator of [match, grade])
      expect(judged(evaluator, answer, never, { mode }).verdict).toEqual({
        kind: 'unscored',
        reason: 'no-answer',
        message: 'the answer is empty',
      });
  });

  it('has the lowest score where it is empty and that is wanted, without a call', () => {
    const verdictOn = (evaluator: Case['evaluator']): Verdict =>
      judged(evaluator, ' ', never, { mode, judgeEmpty: true }).verdict;
    expect(verdictOn(match)).toMatchObject({ kind: 'scored', score: 0 });
    expect(verdictOn(grade)).toMatchObject({ kind: 'scored', score: 0, rawScore: 1 });
  });
});

it.each(['turn-limit', 'context-overflow', 'unparseable', 'answered'] as const)(
  'a question that ended as %s without an answer enters no mean over long answers',
  (outcome) => {
    const verdictBy = (evaluator: Case['evaluator']) =>
      scoreOutcome<string, { readonly verdict: Verdict }>(
        { outcome, evaluator, answer: null },
        () => ({ verdict: scored(true) }),
      );
    expect(verdictBy(match).verdict).toMatchObject({ reason: 'no-answer' });
    expect(verdictBy({ eval_func: 'eval_scidqa', eval_kwargs: {} }).verdict).toMatchObject({
      score: 0,
    });
  },
);

it('the grades of long answers are no part of a logical function', () => {
  const { verdict } = judged({ eval_func: 'eval_negation', eval_kwargs: grade }, 'They do.', never);
  expect(verdict).toMatchObject({ kind: 'unscored', reason: 'invalid-evaluator' });
});

describe('several judges of a long answer', () => {
  const config = (combination: JudgingConfig['combination']): JudgingConfig => ({
    models: [exampleManifest().config.model],
    combination,
    tries: 3,
  });
  const graded = (...grades: readonly (number | null)[]): readonly Verdict[] =>
    grades.map((rawScore) =>
      rawScore === null
        ? unscored('judge-unreadable')
        : { kind: 'scored', score: fromScale(rawScore, 'one-to-five'), rawScore },
    );
  const matched = (...verdicts: readonly number[]): readonly Verdict[] =>
    verdicts.map((score) => ({ kind: 'scored', score }));

  it('decide on a match by majority and average their grades, whatever the configuration', () => {
    for (const combination of ['majority', 'mean'] as const) {
      expect(combinationFor(longFormMatch, config(combination))).toBe('majority');
      expect(combinationFor(longFormGrade, config(combination))).toBe('mean');
      expect(combinationFor('eval_scidqa', config(combination))).toBe(combination);
    }
  });

  it.each([
    [matched(1, 1, 0), 'majority', { score: 1 }],
    [matched(1, 0), 'majority', { reason: 'judges-tied' }],
    [graded(2, 3, 3), 'mean', { score: 5 / 12, rawScore: 8 / 3 }],
    [graded(1, 5), 'mean', { score: 0.5, rawScore: 3 }],
    [graded(4, null), 'mean', { reason: 'judge-unreadable' }],
  ] as const)('of %j by %s are %j', (verdicts, combination, expected) => {
    expect(panelVerdict(verdicts, combination)).toMatchObject(expected);
  });

  it('name in their reasons the grades that they gave', () => {
    expect(panelVerdict(graded(2, 4), 'mean')).toMatchObject({
      rationale: 'judge 1, 2: \njudge 2, 4: ',
    });
  });

  it('change no score while one of them is down, and say so', () => {
    const judging = { config: config('majority'), replies: [], failures: ['HTTP 500'] };
    const answer: Case = { answer: { kind: 'str', value: 'a' }, evaluator: grade, mode: 'default' };
    expect(judgedScore(answer, judging)).toMatchObject({
      verdict: { kind: 'unscored', reason: 'judge-unavailable', message: 'HTTP 500' },
      judging: { combination: 'mean', prompts: '2' },
    });
  });
});
