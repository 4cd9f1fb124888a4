import { votesOf, type Annotators } from './decision-problem.js';
import {
  noFailures,
  phaseOf,
  phaseOfStep,
  phases,
  shownAt,
  stepAfter,
  type Assigning,
  type Choice,
  type Decided,
  type Decision,
  type Gate,
  type GateName,
  type Item,
  type Step,
  type Version,
  type ParkingReason,
} from './item.js';

/** What a decision leads to. */
interface Taken {
  readonly item: Item;
  readonly decided: Decided;
  /** Whether it is one of two annotators' that waits for the other, or differs from it. */
  readonly effect: 'applied' | 'awaits-other' | 'differs';
}

/**
 * Takes a decision in which `problemWith` has found nothing.
 * @param edited - of an edit, the version that it makes
 */
export function takeDecision(
  item: Item,
  decision: Decision,
  {
    at,
    annotators,
    edited,
  }: { readonly at: string; readonly annotators: Annotators; readonly edited?: Version },
): Taken {
  const { gate } = item;
  if (gate === null) throw new Error(`item ${item.id} has no gate`);
  const isDouble = annotators === 2 && gate.gate !== 'parked';
  const shown = shownAt(item);
  const choice = keptChoice(decision.choice, edited);
  const decided: Decided = {
    id: decision.id,
    by: decision.by,
    at,
    gate: gate.gate,
    seen: decision.seen,
    shown: shown.map(({ version }) => version),
    prompts: promptsOf(shown),
    choice,
    reason: decision.reason,
    role: !isDouble ? 'sole' : gate.adjudicates ? 'adjudicator' : 'annotator',
  };
  const [other] = votesOf(item);
  const isApart = decided.role === 'annotator';
  const kept = changed(item, at, {
    decisions: [...item.decisions, decided],
    // An edit of an annotator is kept, also if it does not count in the end.
    ...(edited && {
      versions: [...item.versions, isApart ? { ...edited, apart: true as const } : edited],
    }),
  });
  if (!isApart)
    return { item: apply(kept, decision.choice, decision, at), decided, effect: 'applied' };
  if (other === undefined) return { item: kept, decided, effect: 'awaits-other' };
  if (isSameChoice(other, decided)) {
    return { item: apply(kept, decision.choice, decision, at), decided, effect: 'applied' };
  }
  const revision = kept.revision + 1;
  return {
    item: { ...kept, revision, gate: { ...gate, revision, adjudicates: true } },
    decided,
    effect: 'differs',
  };
}

function keptChoice(choice: Choice, edited: Version | undefined): Decided['choice'] {
  if (choice.kind !== 'edit') return choice;
  if (edited === undefined) throw new Error('an edit makes a version');
  return { kind: 'edit', version: edited.version };
}

/** Of models. */
const promptsOf = (versions: readonly Version[]): readonly string[] => [
  ...new Set(versions.flatMap(({ by }) => (by.kind === 'model' ? [by.prompts] : []))),
];

/** What two annotators must have in common. Edits are never the same: whoever decides next sees both. */
function isSameChoice(a: Decided, b: Decided): boolean {
  return labelOf(a) === labelOf(b) && a.choice.kind !== 'edit';
}

/** A decision as a label, for the agreement of annotators. */
export function labelOf({ choice }: Pick<Decided, 'choice'>): string {
  switch (choice.kind) {
    case 'accept':
      return choice.category === undefined ? 'accept' : `accept ${choice.category}`;
    case 'redo':
      return `redo ${choice.step}`;
    case 'edit':
    case 'reject':
    case 'reopen':
      return choice.kind;
  }
}

function apply(item: Item, choice: Choice, { reason, by, id }: Decision, at: string): Item {
  const { gate } = item;
  if (gate === null) throw new Error(`item ${item.id} has no gate`);
  switch (choice.kind) {
    case 'accept':
      return accepted(item, choice.category, { by, id, at });
    case 'edit':
      if (gate.gate === 'parked') throw new Error(`item ${item.id} is parked`);
      return openGate(item, gate.gate, at);
    case 'reject':
      return { ...item, state: 'rejected', gate: null, step: null };
    case 'redo':
      return working(item, choice.step, reason);
    case 'reopen': {
      const from = phaseOf(gate.parked?.from ?? item.state);
      if (from === undefined) throw new Error(`item ${item.id} was parked at no gate`);
      return openGate(item, from.gate, at);
    }
  }
}

function accepted(
  item: Item,
  category: string | undefined,
  { by, id, at }: { readonly by: string; readonly id: string; readonly at: string },
): Item {
  const phase = phaseOf(item.state);
  const next = phase && phases[phases.indexOf(phase) + 1];
  const [first] = next?.steps ?? [];
  if (first !== undefined) return working(item, first, '');
  const label: readonly Version[] =
    category === undefined
      ? []
      : [
          {
            version: item.versions.length + 1,
            part: 'category',
            at,
            by: { kind: 'person', name: by, decision: id },
            preview: category,
          },
        ];
  return {
    ...item,
    state: 'done',
    gate: null,
    step: null,
    versions: [...item.versions, ...label],
  };
}

const working = (item: Item, step: Step, remark: string): Item => ({
  ...item,
  state: phaseOfStep(step).works,
  gate: null,
  step,
  remark,
  failed: noFailures,
});

/** Notes a change, so that a later state of an item is told from an earlier one. */
const changed = (item: Item, at: string, changes: Partial<Item>): Item => ({
  ...item,
  ...changes,
  changes: item.changes + 1,
  changedAt: at,
});

/** Puts an item before a gate. */
function openGate(item: Item, gate: Exclude<GateName, 'parked'>, at: string): Item {
  const phase = phases.find((each) => each.gate === gate);
  const revision = item.revision + 1;
  return {
    ...item,
    state: phase?.awaits ?? item.state,
    step: null,
    remark: '',
    failed: noFailures,
    revision,
    gate: { gate, openedAt: at, revision, adjudicates: false, parked: null },
  };
}

/** Parks an item, which then waits for a person. */
export function park(
  item: Item,
  {
    reason,
    message,
    at,
  }: {
    readonly reason: NonNullable<Gate['parked']>['reason'];
    readonly message: string;
    readonly at: string;
  },
): Item {
  const revision = item.revision + 1;
  const parked = { from: item.state, reason, message };
  return changed(item, at, {
    state: 'parked',
    revision,
    gate: { gate: 'parked', openedAt: at, revision, adjudicates: false, parked },
  });
}

/** Keeps an assignment, once. */
export const assign = (item: Item, assigning: Assigning, at: string): Item =>
  item.assignments.some(({ id }) => id === assigning.id)
    ? item
    : changed(item, at, { assignments: [...item.assignments, { ...assigning, at }] });

/** Replies to a step whose statements do not run, before the item is parked. The first reply and three repairs. */
export const mostChecks = 4;
/** Replies to a step that cannot be read, before the item is parked. */
export const mostUnreadable = 3;
/** Of an error that goes back to the model, and into the item's file. */
const longestMessage = 1_000;

/** What a step of a model has come to. */
export type StepEnd =
  | { readonly kind: 'made'; readonly version: Version }
  | { readonly kind: 'unreadable'; readonly message: string }
  /** The statements that the model has written do not run, or not as they should. */
  | { readonly kind: 'check-failed'; readonly message: string };

/** The item after a step that was asked for: with the next step, before a gate, or parked. */
export function afterStep(item: Item, end: StepEnd, at: string): Item {
  const { step } = item;
  if (step === null) throw new Error(`item ${item.id} has no step`);
  const made = changed(item, at, { calls: item.calls + 1 });
  if (end.kind === 'made') {
    const versions = [...item.versions, end.version];
    const next = stepAfter(step);
    const settled = { ...made, versions, failed: noFailures };
    if (next === null) return openGate(settled, phaseOfStep(step).gate, at);
    // What a person has asked of a step is not asked of those after it.
    return { ...settled, step: next, remark: '' };
  }
  const message = end.message.slice(0, longestMessage);
  const { unreadable, checks, messages } = item.failed;
  const failed = {
    unreadable: unreadable + (end.kind === 'unreadable' ? 1 : 0),
    checks: checks + (end.kind === 'check-failed' ? 1 : 0),
    messages: [...messages, message],
  };
  const failing = { ...made, failed };
  if (failed.unreadable >= mostUnreadable) return parkFor(failing, 'unreadable-reply', at);
  if (failed.checks < mostChecks) return failing;
  return parkFor(failing, step === 'query' ? 'query-failed' : 'construct-failed', at);
}

const parkFor = (item: Item, reason: ParkingReason, at: string): Item =>
  park(item, { reason, message: item.failed.messages.join('\n'), at });

/** The message of a gate that nobody has decided at in time. */
export const gateTimedOut = (item: Item, at: string): Item =>
  park(item, {
    reason: 'gate-timeout',
    message: `nobody has decided in time; the item was ${item.state} since ${item.gate?.openedAt ?? at}`,
    at,
  });
