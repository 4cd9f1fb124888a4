import { categories } from '../scoring/dataset-item.js';
import {
  assignees,
  isClosed,
  longestEdit,
  noFailures,
  type Assigning,
  type Choice,
  type ChoiceKind,
  type Decided,
  type Decision,
  type Gate,
  type GateName,
  type Item,
  type Step,
  type Version,
} from './item.js';
import { phaseOf, phaseOfStep, phases, shownAt, stepsToRedo } from './phases.js';

/** The choices that a gate takes. */
export function choicesAt({ gate, parked }: Pick<Gate, 'gate' | 'parked'>): readonly ChoiceKind[] {
  if (gate !== 'parked') return ['accept', 'edit', 'reject', 'redo'];
  return parked?.reason === 'gate-timeout' ? ['reopen', 'redo', 'reject'] : ['redo', 'reject'];
}

/** How many people decide apart at each gate. */
export type Annotators = 1 | 2;

/** The decisions of annotators at the open gate, which wait for another one. */
export const votesOf = ({ gate, decisions }: Item): readonly Decided[] =>
  gate === null
    ? []
    : decisions.filter(({ role, seen }) => role === 'annotator' && seen === gate.revision);

/**
 * Why a decision cannot be taken, in one sentence; null if it can. Whether an edit executes is checked elsewhere. The input may
 * come from anybody who reaches the server, so nothing about it is trusted.
 */
export function problemWith(
  item: Item,
  decision: Decision | null,
  annotators: Annotators,
): string | null {
  if (!isDecision(decision))
    return 'this is no decision: it lacks an id, a name, what was seen or a choice';
  const { gate } = item;
  const { by, seen, choice } = decision;
  if (gate === null) return notOpen(item);
  if (seen !== gate.revision) return seenBefore(item, seen);
  const allowed = choicesAt(gate);
  if (!allowed.includes(choice.kind)) {
    return `${nameOf(gate)} takes ${listed(allowed)}, and not ${choice.kind}`;
  }
  const problem = problemWithChoice(item, gate, decision);
  if (problem !== null) return problem;
  const chosen = assignees(item);
  if (chosen.length > 0 && !chosen.includes(by) && !gate.adjudicates) {
    return `item ${item.id} is assigned to ${chosen.join(' and ')}: \`turnwise dataset assign\` gives it to somebody else`;
  }
  if (annotators === 2 && votesOf(item).some((vote) => vote.by === by)) {
    return `${by} has decided about item ${item.id} already; the decision of another annotator is awaited`;
  }
  return null;
}

/** Sent by anybody: only what the functions below rely on. */
function isDecision(value: unknown): value is Decision {
  if (typeof value !== 'object' || value === null) return false;
  const { id, by, seen, choice, reason } = value as Readonly<Record<string, unknown>>;
  const isText = (text: unknown, most: number): boolean =>
    typeof text === 'string' && text.trim() !== '' && text.length <= most;
  if (!isText(id, 200) || !isText(by, 100) || typeof seen !== 'number') return false;
  if (typeof reason !== 'string' || reason.length > 10_000) return false;
  return typeof choice === 'object' && choice !== null && 'kind' in choice;
}

function problemWithChoice(item: Item, gate: Gate, { choice, reason }: Decision): string | null {
  switch (choice.kind) {
    case 'accept':
      if (gate.gate === 'answer') {
        return categories.some((category) => category === choice.category)
          ? null
          : `an accepted answer needs its category: ${categories.join(' or ')}`;
      }
      return choice.category === undefined ? null : `${nameOf(gate)} takes no category`;
    case 'edit':
      if (typeof choice.text !== 'string' || choice.text.trim() === '')
        return 'an edit needs a text';
      return choice.text.length <= longestEdit
        ? null
        : `an edit has at most ${longestEdit} characters`;
    case 'reject':
      return reason.trim() === '' ? 'a rejection needs a reason' : null;
    case 'redo': {
      const possible = stepsToRedo(item);
      return possible.includes(choice.step)
        ? null
        : `${nameOf(gate)} sends back to ${possible.join(', ')}, and not to ${choice.step}`;
    }
    case 'reopen':
      return null;
  }
}

/** What the gate says to whom it does not wait for. */
function notOpen(item: Item): string {
  const last = item.decisions.at(-1);
  const decided = last === undefined ? '' : `: ${toldOf(last)}`;
  return isClosed(item)
    ? `item ${item.id} is ${item.state}${decided}`
    : `item ${item.id} waits for nobody, it is ${item.state}${decided}`;
}

function seenBefore(item: Item, seen: number): string {
  const since = item.decisions.findLast((decided) => decided.seen === seen);
  const what = since === undefined ? 'it has changed since' : toldOf(since);
  return `item ${item.id} is not as it was seen (${seen}, now ${item.revision}): ${what}`;
}

const pastOf: Readonly<Record<ChoiceKind, string>> = {
  accept: 'accepted',
  edit: 'edited',
  reject: 'rejected',
  redo: 'sent back',
  reopen: 'reopened',
};

/** Who has decided what, and when. */
export const toldOf = ({ by, at, gate, choice }: Decided): string =>
  `${by} has ${pastOf[choice.kind]} ${gate === 'parked' ? 'it' : `the ${gate}`} at ${at}`;

const nameOf = ({ gate }: { readonly gate: GateName }): string =>
  gate === 'parked' ? 'a parked item' : `the gate of the ${gate}`;

const listed = (names: readonly string[]): string =>
  `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;

/** What a decision leads to. */
export interface Taken {
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
export const changed = (item: Item, at: string, changes: Partial<Item>): Item => ({
  ...item,
  ...changes,
  changes: item.changes + 1,
  changedAt: at,
});

/** Puts an item before a gate. */
export function openGate(item: Item, gate: Exclude<GateName, 'parked'>, at: string): Item {
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

/** Why an item cannot be assigned so; null if it can. */
export function assigningProblem(item: Item, assigning: Assigning): string | null {
  const { id, to, by } = assigning as Partial<Assigning>;
  const isName = (name: unknown): boolean =>
    typeof name === 'string' && name.trim() !== '' && name.length <= 100;
  if (!isName(id) || !isName(by) || !Array.isArray(to) || !to.every(isName) || to.length > 10) {
    return 'this is no assignment: it lacks an id, names or who assigns';
  }
  return isClosed(item) ? notOpen(item) : null;
}

/** Keeps an assignment, once. */
export const assign = (item: Item, assigning: Assigning, at: string): Item =>
  item.assignments.some(({ id }) => id === assigning.id)
    ? item
    : changed(item, at, { assignments: [...item.assignments, { ...assigning, at }] });
