import { categories } from '../scoring/dataset-item.js';
import {
  assignees,
  isClosed,
  longestEdit,
  stepsToRedo,
  type Assigning,
  type ChoiceKind,
  type Decided,
  type Decision,
  type Gate,
  type GateName,
  type Item,
} from './item.js';

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
