import {
  latest,
  parts,
  steps,
  type GateName,
  type Item,
  type ItemStateName,
  type Part,
  type Step,
  type Version,
} from './item.js';

/** Steps of models that lead to a gate. */
interface Phase {
  readonly works: ItemStateName;
  readonly awaits: ItemStateName;
  readonly gate: Exclude<GateName, 'parked'>;
  readonly steps: readonly Step[];
  /** The part that a person may edit at the gate. */
  readonly edited: Part;
  /** The parts that the gate shows. */
  readonly shown: readonly Part[];
}

/** In their order. */
export const phases: readonly Phase[] = [
  {
    works: 'drafting',
    awaits: 'awaiting-question',
    gate: 'question',
    steps: ['control', 'condense'],
    edited: 'question',
    shown: ['draft', 'question'],
  },
  {
    works: 'constructing',
    awaits: 'awaiting-rows',
    gate: 'rows',
    steps: ['conjecture', 'construct'],
    edited: 'rows',
    shown: ['question', 'conjecture', 'rows'],
  },
  {
    works: 'concluding',
    awaits: 'awaiting-answer',
    gate: 'answer',
    steps: ['query', 'conclude', 'classify'],
    edited: 'answer',
    shown: ['question', 'rows', 'queries', 'answer', 'category'],
  },
];

/** The part that a step makes. */
export const partOf: Readonly<Record<Step, Part>> = {
  control: 'draft',
  condense: 'question',
  conjecture: 'conjecture',
  construct: 'rows',
  query: 'queries',
  conclude: 'answer',
  classify: 'category',
};

/** The phase of a state; undefined for one that belongs to none. */
export const phaseOf = (state: ItemStateName): Phase | undefined =>
  phases.find(({ works, awaits }) => works === state || awaits === state);

export function phaseOfStep(step: Step): Phase {
  const phase = phases.find((each) => each.steps.includes(step));
  if (phase === undefined) throw new Error(`no phase has step ${step}`);
  return phase;
}

/** The step after this one; null where a gate follows. */
export function stepAfter(step: Step): Step | null {
  const { steps: ofPhase } = phaseOfStep(step);
  return ofPhase[ofPhase.indexOf(step) + 1] ?? null;
}

/** The versions that a gate shows, in the order of the parts. */
export function shownAt(item: Item): readonly Version[] {
  const { gate } = item;
  if (gate === null) return [];
  const phase = phaseOf(gate.parked?.from ?? item.state);
  const shown = gate.parked === null ? (phase?.shown ?? []) : parts;
  return shown.flatMap((part) => latest(item, part) ?? []);
}

/** The steps that may be asked for again at a gate. Of a parked item, all that have been asked for. */
export function stepsToRedo(item: Item): readonly Step[] {
  const { gate } = item;
  if (gate === null) return [];
  if (gate.parked === null) return phaseOf(item.state)?.steps ?? [];
  const phase = phaseOf(gate.parked.from);
  return phase === undefined
    ? []
    : steps.filter((step) => phases.indexOf(phaseOfStep(step)) <= phases.indexOf(phase));
}

/** The versions that count, by their parts. */
export const versionsInUse = (item: Item): Readonly<Partial<Record<Part, number>>> =>
  Object.fromEntries(
    parts.flatMap((part) => {
      const version = latest(item, part);
      return version === undefined ? [] : [[part, version.version] as const];
    }),
  );
