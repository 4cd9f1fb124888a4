import { z } from 'zod';
import { itemIdSchema, personSchema, type ItemId } from '../ids.js';
import { categories } from '../scoring/dataset-item.js';

/** Where an item is. `parked`: it waits for a person, since something has failed or nobody has decided in time. */
export const itemStates = [
  'drafting',
  'awaiting-question',
  'constructing',
  'awaiting-rows',
  'concluding',
  'awaiting-answer',
  'done',
  'rejected',
  'parked',
] as const;
export type ItemStateName = (typeof itemStates)[number];

/** What a person decides about. */
export const gates = ['question', 'rows', 'answer', 'parked'] as const;
export type GateName = (typeof gates)[number];

/** What models are asked for, in its order. */
export const steps = [
  'control',
  'condense',
  'conjecture',
  'construct',
  'query',
  'conclude',
  'classify',
] as const;
export type Step = (typeof steps)[number];

/** What an item is made of. Each part may have several versions, of which the last one counts. */
export const parts = [
  'draft',
  'question',
  'conjecture',
  'rows',
  'queries',
  'answer',
  'category',
] as const;
export type Part = (typeof parts)[number];

/** Why an item is parked. */
const parkingReasons = [
  'construct-failed',
  'query-failed',
  'unreadable-reply',
  'model-failed',
  'gate-timeout',
] as const;
export type ParkingReason = (typeof parkingReasons)[number];

const time = z.iso.datetime();

const versionSchema = z.object({
  /** From 1, in the order in which the versions of an item were made. */
  version: z.int().positive(),
  part: z.enum(parts),
  at: time,
  by: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('model'),
      step: z.enum(steps),
      /** The number of the call. */
      call: z.int().positive(),
      /** As the provider names it. */
      model: z.string(),
      /** The version of the prompts. */
      prompts: z.string(),
    }),
    z.object({ kind: z.literal('person'), name: personSchema, decision: z.string() }),
  ]),
  /** The beginning of the text, or all of a label. */
  preview: z.string(),
  /** An edit of one of two annotators: it does not count, and whoever decides where they differ sees it. */
  apart: z.literal(true).optional(),
});
export type Version = Readonly<z.infer<typeof versionSchema>>;

/** Characters of an edited text. */
export const longestEdit = 200_000;

/** What a person chooses at a gate. */
const choiceSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('accept'),
    /** The label that is given with an accepted answer, and with nothing else. */
    category: z.enum(categories).optional(),
  }),
  z.object({ kind: z.literal('edit'), text: z.string().min(1).max(longestEdit) }),
  z.object({ kind: z.literal('reject') }),
  /** Asks a model for another version, from this step on. */
  z.object({ kind: z.literal('redo'), step: z.enum(steps) }),
  /** Puts an item before its gate again that was parked there. */
  z.object({ kind: z.literal('reopen') }),
]);
export type Choice = Readonly<z.infer<typeof choiceSchema>>;
export type ChoiceKind = Choice['kind'];

/** A decision, as a person sends it. */
export const decisionSchema = z.object({
  /** A decision that is sent twice counts once. */
  id: z.string().min(1).max(200),
  by: personSchema,
  /** `Gate.revision` of what the person has seen. */
  seen: z.int().positive(),
  choice: choiceSchema,
  /** Why, and for the model that is asked again what it shall do. Empty where none is given. */
  reason: z.string().max(10_000).default(''),
});
export type Decision = Readonly<z.infer<typeof decisionSchema>>;

const decidedSchema = z.object({
  id: z.string(),
  by: personSchema,
  at: time,
  gate: z.enum(gates),
  seen: z.int().positive(),
  /** The versions that were shown. */
  shown: z.array(z.int().positive()).readonly(),
  /** The versions of the prompts by which the models made them. */
  prompts: z.array(z.string()).readonly(),
  choice: z.discriminatedUnion('kind', [
    choiceSchema.options[0],
    /** Of an edit, the version that it made; null where the other annotator's decision differs. */
    z.object({ kind: z.literal('edit'), version: z.int().positive() }),
    choiceSchema.options[2],
    choiceSchema.options[3],
    choiceSchema.options[4],
  ]),
  reason: z.string(),
  /** `sole`: it counts alone. `annotator`: one of two. `adjudicator`: it counts where the two differed. */
  role: z.enum(['sole', 'annotator', 'adjudicator']),
});
/** A decision, as it is kept. */
export type Decided = Readonly<z.infer<typeof decidedSchema>>;

const gateSchema = z.object({
  gate: z.enum(gates),
  openedAt: time,
  /** Differs whenever something else is shown or asked. It only grows, also from gate to gate. */
  revision: z.int().positive(),
  /** Whether two annotators have differed, so that a third decision counts. */
  adjudicates: z.boolean(),
  /** Where an item is parked: where it was before, and why. */
  parked: z
    .object({
      from: z.enum(itemStates),
      reason: z.enum(parkingReasons),
      message: z.string(),
    })
    .nullable(),
});
export type Gate = Readonly<z.infer<typeof gateSchema>>;

const assignmentSchema = z.object({
  id: z.string().min(1).max(200),
  /** Who may decide; everybody if empty. */
  to: z.array(personSchema).max(10).readonly(),
  by: personSchema,
  at: time,
});

/** An assignment, as a person sends it. */
export const assigningSchema = assignmentSchema.omit({ at: true });
export type Assigning = Readonly<z.infer<typeof assigningSchema>>;

/** An item, without its texts: they are in files of their own. The workflow carries it, and the item's file holds it. */
export const itemSchema = z.object({
  id: itemIdSchema,
  state: z.enum(itemStates),
  /** Raised with every change. */
  changes: z.int().nonnegative(),
  changedAt: time,
  /** The next step of a model; null where none is due. */
  step: z.enum(steps).nullable(),
  /** Replies to this step that could not be used, and what the last one lacked. */
  failed: z.object({
    unreadable: z.int().nonnegative(),
    checks: z.int().nonnegative(),
    messages: z.array(z.string()).readonly(),
  }),
  /** What a person asks of the step; empty if nothing. */
  remark: z.string(),
  /** Model calls made so far. */
  calls: z.int().nonnegative(),
  versions: z.array(versionSchema).readonly(),
  decisions: z.array(decidedSchema).readonly(),
  /** All gates so far. */
  revision: z.int().nonnegative(),
  /** The gate that waits for a decision; null where none does. */
  gate: gateSchema.nullable(),
  assignments: z.array(assignmentSchema).readonly(),
});
export type Item = Readonly<z.infer<typeof itemSchema>>;

export const newItem = (id: ItemId, at: string): Item => ({
  id,
  state: 'drafting',
  changes: 0,
  changedAt: at,
  step: 'control',
  failed: noFailures,
  remark: '',
  calls: 0,
  versions: [],
  decisions: [],
  revision: 0,
  gate: null,
  assignments: [],
});

export const noFailures: Item['failed'] = { unreadable: 0, checks: 0, messages: [] };

/** The version of a part that counts; undefined where there is none. */
export const latest = ({ versions }: Pick<Item, 'versions'>, part: Part): Version | undefined =>
  versions.findLast((version) => version.part === part && version.apart === undefined);

/** Who may decide; everybody if empty. */
export const assignees = ({ assignments }: Pick<Item, 'assignments'>): readonly string[] =>
  assignments.at(-1)?.to ?? [];

export const isClosed = ({ state }: Pick<Item, 'state'>): boolean =>
  state === 'done' || state === 'rejected';

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
