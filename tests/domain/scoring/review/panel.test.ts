import { describe, expect, it } from 'vitest';
import {
  panelFolder,
  reviewTotals,
  reviewIdOf,
  reviewConfigSchema,
} from '../../../../domain/scoring/review/panel.js';
import { reviewForecast, usualReplyTokens } from '../../../../domain/scoring/review/panel-state.js';
import { sampleKey, exampleJudgeReply } from '../../../support/runs/example-records.js';
import { exampleTrace, reviewConfig, withoutInteraction } from '../../../support/runs/reviewed.js';

const config = reviewConfig('a,b,c|d,e,f');

describe('the id of a review', () => {
  it('changes with whatever may change a decision', () => {
    const [first, ...others] = config.reviewers;
    if (first === undefined) throw new Error('there are reviewers');
    const changed = [
      config,
      reviewConfig('a,b,d|d,e,f'),
      reviewConfig('b,a,c|d,e,f'),
      { ...config, seed: 2 },
      { ...config, tries: 2 },
      { ...config, orderCheck: 0.1 },
      { ...config, reviewers: [{ ...first, temperature: 0 }, ...others] },
    ];
    expect(new Set(changed.map(reviewIdOf)).size).toBe(changed.length);
  });

  it('stays with another address, price or time-out', () => {
    const moved = config.reviewers.map((model) => ({
      ...model,
      baseUrl: 'http://elsewhere/v1',
      price: null,
      timeoutMs: 1,
    }));
    expect(reviewIdOf({ ...config, reviewers: moved })).toBe(reviewIdOf(config));
  });

  it('is of a configuration that crosses JSON', () => {
    expect(reviewConfigSchema.parse(JSON.parse(JSON.stringify(config)))).toEqual(config);
  });
});

describe('the files of a review', () => {
  it('keep the replies of each panel apart', () => {
    const review = reviewIdOf(config);
    const folders = [1, 2].flatMap((epoch) =>
      (['IP', 'TE'] as const).map((subTask) => panelFolder(review, sampleKey('q', epoch), subTask)),
    );
    expect(new Set(folders).size).toBe(4);
    expect(folders[0]).toBe(`reviews/${review}/replies/q/IP`);
  });
});

describe('the totals of a review', () => {
  const member = (decision: 'perfect' | null) => ({ model: 'm', decision, rationale: '' });
  const side = [member('perfect'), member('perfect'), member('perfect')];
  const panel = { uuid: 'q', epoch: 1, reviewers: side, metaReviewers: side };

  it('count panels by how they stand, calls and costs, and those without interaction', () => {
    const replies = [exampleJudgeReply('0', 1), exampleJudgeReply('1', 1)];
    const few = [member('perfect'), member(null), member(null)];
    expect(
      reviewTotals([
        { panel: { ...panel, subTask: 'IP' }, replies, isEmpty: true },
        { panel: { ...panel, subTask: 'TE', open: true }, replies: [], isEmpty: true },
        { panel: { ...panel, subTask: 'IS', reviewers: few }, replies, isEmpty: true },
      ]),
    ).toMatchObject({
      panels: { perfect: 1, open: 1, 'too-few-reviewers': 1 },
      withoutInteraction: 2,
      usage: { calls: 4, promptTokens: 400 },
      costUsd: 0.04,
    });
  });
});

describe('the forecast of a review', () => {
  const answer = (changes = {}) => ({
    question: 'How many lamps shine?',
    schema: '',
    rows: null,
    trace: exampleTrace('q1', changes),
  });

  it('is 18 calls an answer for three members a side', () => {
    const forecast = reviewForecast(config, 200, [answer()]);
    expect(forecast).toMatchObject({ answers: 200, panels: 600, calls: 3600 });
    expect(forecast.completionTokens).toBe(3600 * usualReplyTokens);
    const { promptTokens, completionTokens, usd } = forecast;
    expect(usd).toBeCloseTo((promptTokens + 10 * completionTokens) / 1e6, 2);
  });

  it('has more calls for the order check, and fewer where only the answer is reviewed', () => {
    const checked = { ...config, orderCheck: 0.1 };
    expect(reviewForecast(checked, 100, [answer()]).calls).toBe(1800 + 90);
    expect(reviewForecast(config, 100, [answer({ method: 'no-interaction' })]).calls).toBe(600);
    expect(reviewForecast(config, 100, [answer(withoutInteraction)]).calls).toBe(1800);
  });

  it('is of unknown cost if one member has no price', () => {
    const [first, ...others] = config.reviewers;
    if (first === undefined) throw new Error('there are reviewers');
    const unpriced = { ...config, reviewers: [{ ...first, price: null }, ...others] };
    expect(reviewForecast(unpriced, 1, [answer()]).usd).toBeNull();
  });
});
