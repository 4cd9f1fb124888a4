import { describe, expect, it } from 'vitest';
import { assign, takeDecision, gateTimedOut } from '../../../domain/building/decide.js';
import {
  assigningProblem,
  problemWith,
  votesOf,
} from '../../../domain/building/decision-problem.js';
import {
  itemSchema,
  latest,
  shownAt,
  type Choice,
  type Decision,
  type Item,
} from '../../../domain/building/item.js';
import {
  atGate,
  decided,
  decisionOn,
  freshItem,
  someTime,
} from '../../support/runs/building/items.js';

const accept: Choice = { kind: 'accept' };
const label: Choice = { kind: 'accept', category: 'interpretive' };
const edit: Choice = { kind: 'edit', text: 'better' };
const reject: Choice = { kind: 'reject' };
const redo = (step: string): Choice => ({ kind: 'redo', step }) as Choice;
const question = atGate('question');
const rows = atGate('rows');
const answer = atGate('answer');
const timedOut = gateTimedOut(question, someTime);
const failed: Item = {
  ...timedOut,
  gate: timedOut.gate && {
    ...timedOut.gate,
    parked: { from: 'constructing', reason: 'construct-failed', message: 'no' },
  },
};

describe('a gate', () => {
  it.each<[string, Item, Choice, string]>([
    ['question', question, accept, 'constructing conjecture'],
    ['question', question, edit, 'awaiting-question -'],
    ['question', question, reject, 'rejected -'],
    ['question', question, redo('control'), 'drafting control'],
    ['question', question, redo('condense'), 'drafting condense'],
    ['rows', rows, accept, 'concluding query'],
    ['rows', rows, edit, 'awaiting-rows -'],
    ['rows', rows, reject, 'rejected -'],
    ['rows', rows, redo('conjecture'), 'constructing conjecture'],
    ['rows', rows, redo('construct'), 'constructing construct'],
    ['answer', answer, label, 'done -'],
    ['answer', answer, edit, 'awaiting-answer -'],
    ['answer', answer, reject, 'rejected -'],
    ['answer', answer, redo('query'), 'concluding query'],
    ['answer', answer, redo('conclude'), 'concluding conclude'],
    ['answer', answer, redo('classify'), 'concluding classify'],
    ['time-out', timedOut, { kind: 'reopen' }, 'awaiting-question -'],
    ['time-out', timedOut, redo('control'), 'drafting control'],
    ['time-out', timedOut, reject, 'rejected -'],
    ['failure', failed, redo('construct'), 'constructing construct'],
    ['failure', failed, redo('condense'), 'drafting condense'],
    ['failure', failed, reject, 'rejected -'],
  ])('of the %s takes a choice %#', (_, item, choice, expected) => {
    const after = decided(item, choice);
    expect(problemWith(item, decisionOn(item, choice), 1)).toBeNull();
    expect(`${after.state} ${after.step ?? '-'}`).toBe(expected);
    expect(after.decisions.length).toBe(item.decisions.length + 1);
    expect(itemSchema.parse(JSON.parse(JSON.stringify(after)))).toEqual(after);
  });

  it.each<[string, Item, Partial<Decision>, string]>([
    ['a category at another gate', question, { choice: label }, 'takes no category'],
    ['an answer without a category', answer, { choice: accept }, 'needs its category'],
    [
      'a step of another phase',
      question,
      { choice: redo('construct') },
      'sends back to control, condense',
    ],
    ['a step that has not been asked for', failed, { choice: redo('conclude') }, 'sends back to'],
    [
      'reopening what is open',
      question,
      { choice: { kind: 'reopen' } },
      'takes accept, edit, reject or redo',
    ],
    ['accepting what is parked', timedOut, { choice: accept }, 'takes reopen, redo or reject'],
    ['reopening what has failed', failed, { choice: { kind: 'reopen' } }, 'takes redo or reject'],
    ['a rejection without a reason', rows, { choice: reject, reason: ' ' }, 'needs a reason'],
    ['an empty edit', rows, { choice: { kind: 'edit', text: ' ' } }, 'needs a text'],
    [
      'an edit that is too long',
      rows,
      { choice: { kind: 'edit', text: 'x'.repeat(200_001) } },
      'at most',
    ],
    ['an unknown choice', rows, { choice: { kind: 'keep' } as never }, 'and not keep'],
    ['no name', rows, { by: '' }, 'no decision'],
    ['no choice', rows, { choice: undefined as never }, 'no decision'],
    ['no id', rows, { id: 7 as never }, 'no decision'],
    ['a later state', rows, { seen: 99 }, 'is not as it was seen (99, now 2)'],
  ])('refuses %s', (_, item, more, expected) => {
    expect(problemWith(item, { ...decisionOn(item, accept), ...more }, 1)).toContain(expected);
  });

  it('tells the second of two people who was first, and when', () => {
    const late = decisionOn(question, reject, { by: 'bob' });
    const after = decided(question, accept, { by: 'ann' });
    expect(problemWith(after, late, 1)).toBe(
      `item library-1 waits for nobody, it is constructing: ann has accepted the question at ${someTime}`,
    );
    const edited = decided(question, edit, { by: 'ann' });
    expect(problemWith(edited, late, 1)).toBe(
      `item library-1 is not as it was seen (1, now 2): ann has edited the question at ${someTime}`,
    );
    const closed = decided(question, reject, { by: 'ann' });
    expect(problemWith(closed, late, 1)).toContain('is rejected: ann has rejected the question');
  });

  it('keeps what was shown, by which prompts it was made, and why somebody decided so', () => {
    const after = decided(rows, redo('construct'), { reason: 'more branches' });
    expect(after.decisions.at(-1)).toMatchObject({
      by: 'ann',
      at: someTime,
      gate: 'rows',
      shown: shownAt(rows).map(({ version }) => version),
      prompts: ['1'],
      choice: { kind: 'redo', step: 'construct' },
      reason: 'more branches',
      role: 'sole',
    });
    expect(after.remark).toBe('more branches');
  });

  it('overwrites nothing: an edit is a version beside the old ones', () => {
    const after = decided(question, edit);
    expect(after.versions.slice(0, -1)).toEqual(question.versions);
    expect(latest(after, 'question')).toMatchObject({
      preview: 'better',
      by: { kind: 'person', name: 'ann' },
    });
  });

  it('gives an accepted answer the label that a person chose', () => {
    expect(latest(answer, 'category')?.preview).toBe('conclusive');
    expect(latest(decided(answer, label), 'category')).toMatchObject({
      preview: 'interpretive',
      by: { kind: 'person', name: 'ann' },
    });
  });
});

describe('an assignment', () => {
  const assigned = assign(question, { id: 'a1', to: ['bob'], by: 'eve' }, someTime);

  it('lets only those decide who are named', () => {
    expect(problemWith(assigned, decisionOn(assigned, accept, { by: 'ann' }), 1)).toContain(
      'assigned to bob',
    );
    expect(problemWith(assigned, decisionOn(assigned, accept, { by: 'bob' }), 1)).toBeNull();
    const open = assign(assigned, { id: 'a2', to: [], by: 'eve' }, someTime);
    expect(problemWith(open, decisionOn(open, accept, { by: 'ann' }), 1)).toBeNull();
  });

  it('counts once, and not for an item that is closed or by nobody', () => {
    expect(assign(assigned, { id: 'a1', to: ['bob'], by: 'eve' }, someTime)).toBe(assigned);
    expect(assigningProblem(assigned, { id: 'a', to: ['x'], by: 'eve' })).toBeNull();
    expect(assigningProblem(assigned, { id: 'a', to: [''], by: 'eve' })).toContain('no assignment');
    const closed = decided(question, reject);
    expect(assigningProblem(closed, { id: 'a', to: ['x'], by: 'eve' })).toContain('is rejected');
  });
});

describe('two annotators', () => {
  const one = (item: Item, choice: Choice, by: string) =>
    takeDecision(item, decisionOn(item, choice, { by }), { at: someTime, annotators: 2 });

  it('decide apart, and count where they agree', () => {
    const first = one(question, accept, 'ann');
    expect(first.effect).toBe('awaits-other');
    expect(first.item).toMatchObject({ state: 'awaiting-question', revision: question.revision });
    expect(problemWith(first.item, decisionOn(first.item, reject, { by: 'ann' }), 2)).toContain(
      'ann has decided',
    );
    const second = one(first.item, accept, 'bob');
    expect(second).toMatchObject({ effect: 'applied', item: { state: 'constructing' } });
  });

  it.each<[string, Choice, Choice]>([
    ['the choice', accept, reject],
    ['the step', redo('control'), redo('condense')],
  ])('that differ in %s open an adjudication, in which anybody decides alone', (_, a, b) => {
    const differing = one(one(question, a, 'ann').item, b, 'bob');
    expect(differing).toMatchObject({ effect: 'differs', item: { gate: { adjudicates: true } } });
    const { item } = differing;
    expect(votesOf(item)).toEqual([]);
    const settled = one(item, accept, 'eve');
    expect(settled).toMatchObject({
      effect: 'applied',
      decided: { role: 'adjudicator' },
      item: { state: 'constructing' },
    });
  });

  it('differ in the label of an answer', () => {
    const first = one(answer, { kind: 'accept', category: 'conclusive' }, 'ann');
    expect(one(first.item, label, 'bob').effect).toBe('differs');
  });

  it('do not see the edit of the other', () => {
    const after = decided(question, edit, { by: 'ann' }, 2);
    expect(after.versions.length).toBe(question.versions.length + 1);
    expect(shownAt(after)).toEqual(shownAt(question));
  });
});

it('waits for nobody while models work', () => {
  expect(problemWith(freshItem(), decisionOn(freshItem(), accept, { seen: 1 }), 1)).toBe(
    'item library-1 waits for nobody, it is drafting',
  );
});
