import { takeDecision, afterStep } from '../../../../domain/building/decide.js';
import { type Annotators } from '../../../../domain/building/decision-problem.js';
import {
  newItem,
  partOf,
  type Choice,
  type Decision,
  type Item,
  type Step,
  type Version,
} from '../../../../domain/building/item.js';
import { itemIdSchema } from '../../../../domain/ids.js';

export const someTime = '2026-03-01T09:00:00.000Z';

export const freshItem = (id = 'library-1'): Item => newItem(itemIdSchema.parse(id), someTime);

/** A version as the item's next step makes it. */
export const versionBy = (item: Item, step: Step, preview = `the ${step}`): Version => ({
  version: item.versions.length + 1,
  part: partOf[step],
  at: someTime,
  by: { kind: 'model', step, call: item.calls + 1, model: 'm', prompts: '1' },
  preview,
});

/** The item after all steps up to its next gate. */
export function untilGate(item: Item): Item {
  let now = item;
  while (now.step !== null) {
    const preview = now.step === 'classify' ? 'conclusive' : undefined;
    now = afterStep(now, { kind: 'made', version: versionBy(now, now.step, preview) }, someTime);
  }
  return now;
}

let decisions = 0;

export const decisionOn = (item: Item, choice: Choice, more: Partial<Decision> = {}): Decision => ({
  id: `d${(decisions += 1)}`,
  by: 'ann',
  seen: item.revision,
  choice,
  reason: choice.kind === 'reject' ? 'too vague' : '',
  ...more,
});

/** An edit as the workflow would store it. */
export const editedBy = (item: Item, decision: Decision): Version => ({
  version: item.versions.length + 1,
  part: item.gate?.gate === 'answer' ? 'answer' : item.gate?.gate === 'rows' ? 'rows' : 'question',
  at: someTime,
  by: { kind: 'person', name: decision.by, decision: decision.id },
  preview: decision.choice.kind === 'edit' ? decision.choice.text : '',
});

export function decided(
  item: Item,
  choice: Choice,
  more: Partial<Decision> = {},
  annotators: Annotators = 1,
): Item {
  const decision = decisionOn(item, choice, more);
  const edited = choice.kind === 'edit' ? { edited: editedBy(item, decision) } : {};
  return takeDecision(item, decision, { at: someTime, annotators, ...edited }).item;
}

export const atGate = (gate: 'question' | 'rows' | 'answer', item = freshItem()): Item => {
  const first = untilGate(item);
  if (gate === 'question') return first;
  const second = untilGate(decided(first, { kind: 'accept' }));
  return gate === 'rows' ? second : untilGate(decided(second, { kind: 'accept' }));
};
