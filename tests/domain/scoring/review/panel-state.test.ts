// Votes such as PPIII are no words. cspell:ignoreRegExp [PI]{4,}
import { describe, expect, it } from 'vitest';
import { contentText } from '../../../../domain/models/chat-message.js';
import { readDelimited } from '../../../../domain/scoring/delimited-sections.js';
import type { JudgeReply } from '../../../../domain/scoring/judging/judge-request.js';
import {
  panelResult,
  type SubTask,
  type ReviewConfig,
} from '../../../../domain/scoring/review/panel.js';
import {
  panelState,
  reviewedPart,
  type MemberQuestion,
  type PanelState,
} from '../../../../domain/scoring/review/panel-state.js';
import { exampleJudgeReply } from '../../../support/runs/example-records.js';
import {
  exampleTrace,
  reviewConfig,
  saysImperfect,
  saysPerfect,
} from '../../../support/runs/reviewed.js';

interface Asked {
  readonly member: number;
  readonly question: MemberQuestion;
}

/** Runs a panel to its end; `say` replies to each member. */
function finished(
  config: ReviewConfig,
  say: (asked: Asked) => string | null,
  { uuid = 'q1', subTask = 'IP' }: { readonly uuid?: string; readonly subTask?: SubTask } = {},
): {
  readonly state: PanelState;
  readonly rounds: readonly (readonly number[])[];
  readonly asked: readonly Asked[];
} {
  const trace = exampleTrace(uuid);
  const part = reviewedPart({ question: 'How many?', schema: '', rows: null, trace }, subTask);
  const stored: JudgeReply[] = [];
  const rounds: (readonly number[])[] = [];
  const asked: Asked[] = [];
  for (;;) {
    const state = panelState(config, { uuid, epoch: 1, part }, stored);
    const replies = state.open.flatMap((open) => {
      const raw = say(open);
      if (raw === null) return [];
      asked.push(open);
      const { key, part: number } = open.question;
      return [{ ...exampleJudgeReply(number, open.question.number), request: key, raw }];
    });
    if (replies.length === 0) return { state, rounds, asked };
    rounds.push(state.open.map(({ member }) => member));
    stored.push(...replies);
  }
}

/** `P`: perfect, `I`: imperfect, `?`: unreadable; by member. */
const votes =
  (text: string) =>
  ({ member }: Asked): string =>
    ({ P: saysPerfect, I: saysImperfect })[text[member] ?? ''] ?? 'Well.';

const three = reviewConfig('a,b,c|d,e,f');
const reviewsShown = ({ question }: Asked): readonly string[] =>
  (readDelimited(contentText(question.request.messages[1]?.content ?? ''))?.sections ?? [])
    .filter(({ label }) => label.startsWith('review '))
    .map(({ text }) => text);

describe('a panel', () => {
  it.each([
    [
      'PPPPPP',
      'perfect',
      [
        [0, 1, 2],
        [3, 4, 5],
      ],
    ],
    [
      'PIIPPI',
      'perfect',
      [
        [0, 1, 2],
        [3, 4, 5],
      ],
    ],
    [
      'PPPIIP',
      'imperfect',
      [
        [0, 1, 2],
        [3, 4, 5],
      ],
    ],
    // A member that stays unreadable is asked three times.
    ['PP?PII', 'imperfect', [[0, 1, 2], [2], [2], [3, 4, 5]]],
    [
      'P??PPP',
      'too-few-reviewers',
      [
        [0, 1, 2],
        [1, 2],
        [1, 2],
      ],
    ],
    [
      'PPPP??',
      'too-few-meta-reviewers',
      [
        [0, 1, 2],
        [3, 4, 5],
        [4, 5],
        [4, 5],
      ],
    ],
    ['PPPPI?', 'tie', [[0, 1, 2], [3, 4, 5], [5], [5]]],
  ])('of members who say %s is %s', (text, result, rounds) => {
    const found = finished(three, votes(text));
    expect(panelResult(found.state.panel)).toBe(result);
    expect(found.rounds).toEqual(rounds);
  });

  it('is open, with nobody else asked, while a reviewer cannot be reached', () => {
    const { state, rounds } = finished(three, (asked) => (asked.member === 1 ? null : saysPerfect));
    expect(rounds).toEqual([[0, 1, 2]]);
    expect(panelResult(state.panel)).toBe('open');
    expect(state.open.map(({ member }) => member)).toEqual([1]);
  });

  it('keeps decision, rationale and the model’s name as it was returned, in the order of the members', () => {
    const { state } = finished(three, votes('PI?PPI'));
    expect(state.panel.reviewers).toEqual([
      { model: 'a-judge-2026', decision: 'perfect', rationale: 'All is well.' },
      { model: 'a-judge-2026', decision: 'imperfect', rationale: 'Something is missing.' },
      {
        ...{ model: 'a-judge-2026', decision: null, rationale: '' },
        missing: 'no reply could be read',
      },
    ]);
  });

  it('goes on without a member whose replies are empty for ever, and says why it is missing', () => {
    const { state, rounds } = finished(three, ({ member }) => (member === 2 ? '' : saysPerfect));
    expect(panelResult(state.panel)).toBe('perfect');
    expect(state.panel.reviewers[2]).toMatchObject({
      decision: null,
      missing: 'the reply is empty',
    });
    // Asked again once: the second retry is the same request, whose reply is known.
    expect(rounds.filter((asked) => asked.includes(2)).length).toBeLessThanOrEqual(3);
  });

  it('asks a model with several places once for each, with the same prompt under another key', () => {
    const { asked } = finished(reviewConfig('a,a,a|a'), votes('PPIP'));
    const [first, second] = asked;
    expect(first?.question.request).toEqual(second?.question.request);
    expect(new Set(asked.map(({ question }) => question.key)).size).toBe(4);
  });

  it('repeats a question after an unreadable reply with that reply before it', () => {
    const { asked } = finished(reviewConfig('a|b'), votes('?P'));
    const lengths = asked.map(({ question }) => question.request.messages.length);
    expect(lengths).toEqual([2, 4, 4]);
  });

  it('passes over stored replies to another answer', () => {
    const config = reviewConfig('a|b');
    const stale = finished(config, votes('PP'), { uuid: 'q1' }).state.replies;
    const trace = exampleTrace('q1', { plan: { text: 'Another.', words: 1, tokens: 1 } });
    const part = reviewedPart({ question: 'How many?', schema: '', rows: null, trace }, 'IP');
    const state = panelState(config, { uuid: 'q1', epoch: 1, part }, stale);
    expect(state.open.map(({ member }) => member)).toEqual([0]);
    expect(state.replies).toEqual([]);
  });

  it('sends a structured request where the provider enforces schemas', () => {
    const config = reviewConfig('a|b');
    const structured = {
      ...config,
      reviewers: config.reviewers.map((model) => ({ ...model, structuredReplies: true })),
    };
    const json = JSON.stringify({ rationale: 'Fine.', decision: 'Perfect' });
    const { asked, state } = finished(structured, ({ member }) =>
      member === 0 ? json : saysPerfect,
    );
    expect(asked.map(({ question }) => question.request.replySchema?.name)).toEqual([
      'review',
      undefined,
    ]);
    expect(panelResult(state.panel)).toBe('perfect');
  });
});

describe('the order of the reviews', () => {
  const opinions = ['first', 'second', 'third'].map((text) => `${text}\nDecision: Perfect`);
  const say = ({ member }: Asked): string => opinions[member] ?? saysPerfect;
  const ordersOf = (config: ReviewConfig, uuid = 'q1'): readonly (readonly string[])[] =>
    finished(config, say, { uuid })
      .asked.slice(3)
      .map((asked) => reviewsShown(asked).map((text) => text.split('\n')[0] ?? ''));

  it('differs between meta-reviewers and panels, and is the same for the same seed', () => {
    const uuids = Array.from({ length: 20 }, (_, index) => `q${index}`);
    const orders = uuids.map((uuid) => ordersOf(three, uuid));
    expect(orders).toEqual(uuids.map((uuid) => ordersOf(three, uuid)));
    expect(orders).not.toEqual(uuids.map((uuid) => ordersOf({ ...three, seed: 2 }, uuid)));
    const seen = new Set(orders.flat().map((order) => order.join(' ')));
    expect(seen.size).toBe(6);
    expect(orders.some(([one, two]) => one?.join() !== two?.join())).toBe(true);
  });

  it('is reversed for the order check, by the same meta-reviewers', () => {
    const checked = { ...three, orderCheck: 1 };
    const { state, rounds } = finished(checked, (asked) =>
      asked.member < 6 ? say(asked) : saysImperfect,
    );
    expect(rounds).toEqual([
      [0, 1, 2],
      [3, 4, 5, 6, 7, 8],
    ]);
    const orders = ordersOf(checked);
    expect(orders.slice(3)).toEqual(orders.slice(0, 3).map((order) => order.toReversed()));
    expect(state.panel.reversed).toEqual(['imperfect', 'imperfect', 'imperfect']);
    expect(panelResult(state.panel)).toBe('perfect');
  });

  it('is checked in about the share of the panels, and where there are two reviews', () => {
    const tenth = { ...three, orderCheck: 0.1 };
    const uuids = Array.from({ length: 500 }, (_, index) => `q${index}`);
    const checked = uuids.filter(
      (uuid) => finished(tenth, say, { uuid }).state.panel.reversed !== undefined,
    );
    expect(checked.length).toBeGreaterThan(30);
    expect(checked.length).toBeLessThan(70);
    const alone = finished({ ...reviewConfig('a|b'), orderCheck: 1 }, votes('PP'));
    expect(alone.state.panel.reversed).toBeUndefined();
  });
});
