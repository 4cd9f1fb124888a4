import { z } from 'zod';
import { amountSchema, noCap, type Amount, type Cap } from '../budget/amount.js';
import { freeOf, ledgerSchema, openLedger, spentOf } from '../budget/ledger.js';
import { itemIdSchema, type ItemId } from '../ids.js';
import { waitReasons } from '../runs/question-ref.js';
import { conditionOfAll, conditionOfWait, type RunCondition } from '../runs/run-progress.js';

const heldItemSchema = z.object({
  item: itemIdSchema,
  message: z.string(),
  reason: z.enum(waitReasons),
  /** The reservation that the budget did not allow; null where it waits for something else. */
  need: amountSchema.nullable(),
});
export type HeldItem = Readonly<z.infer<typeof heldItemSchema>>;

/** What an item tells the building of its dataset. */
export type ItemReport =
  /** For a person, or for nobody any more. */
  | { readonly kind: 'waits' | 'closed'; readonly item: ItemId }
  /** It cannot go on before somebody mends something, or the budget allows its next call. */
  | { readonly kind: 'held'; readonly held: HeldItem };

export interface BuildLimits {
  /** @defaultValue as it was */
  readonly budget?: Cap;
  /** Items that are drafted at once. @defaultValue as it was */
  readonly concurrency?: number;
}

/** The building of a dataset, carried from history to history. */
export const buildStateSchema = z.object({
  ledger: ledgerSchema,
  concurrency: z.int().positive(),
  /** Whether no item is started, since no model is asked. */
  isPaused: z.boolean(),
  /** The first seed that was not looked at; null if the last one was. */
  next: z.int().nonnegative().nullable(),
  /** Seeds that were looked at and whose items are not started. */
  queue: z.array(itemIdSchema).readonly(),
  /** Items that have been started and wait for nobody yet. */
  drafting: z.array(itemIdSchema).readonly(),
  held: z.array(heldItemSchema).readonly(),
  started: z.int().nonnegative(),
  closed: z.int().nonnegative(),
});
export type BuildState = Readonly<z.infer<typeof buildStateSchema>>;

export const openBuild = (concurrency: number): BuildState => ({
  ledger: openLedger(noCap, { usd: 0, tokens: 0 }),
  concurrency,
  isPaused: false,
  next: 0,
  queue: [],
  drafting: [],
  held: [],
  started: 0,
  closed: 0,
});

/** What the building of a dataset says of itself. */
export interface BuildProgress {
  /** Items in all. */
  readonly items: number;
  /** Items that models draft for the first time. */
  readonly drafting: number;
  /** Those of them that nothing holds up. */
  readonly working: number;
  readonly started: number;
  readonly closed: number;
  readonly held: readonly HeldItem[];
  readonly isPaused: boolean;
  readonly budget: Cap;
  readonly spent: Amount;
}

export const buildProgress = (
  { drafting, started, closed, held, isPaused, ledger }: BuildState,
  items: number,
): BuildProgress => ({
  items,
  drafting: drafting.length,
  working: drafting.filter((each) => !held.some(({ item }) => item === each)).length,
  started,
  closed,
  held,
  isPaused,
  budget: ledger.cap,
  spent: spentOf(ledger),
});

/** What the building of a dataset does. It is held, too, where all that is left waits for decisions. */
export function buildCondition({
  items,
  working,
  closed,
  held,
  isPaused,
}: Omit<BuildProgress, 'budget' | 'spent'>): RunCondition {
  if (closed >= items) return 'done';
  if (isPaused) return 'paused';
  if (working > 0) return 'running';
  return held.length === 0
    ? 'held'
    : conditionOfAll(held.map(({ reason }) => conditionOfWait(reason)));
}

/** Whether an item may be started. */
export const hasRoom = ({ drafting, concurrency, queue, isPaused }: BuildState): boolean =>
  !isPaused && queue.length > 0 && drafting.length < concurrency;

/** Whether an item waits for the end of a pause that has ended: it had looked before. */
export const isOverslept = ({ isPaused }: BuildState, { reason }: HeldItem): boolean =>
  reason === 'pause' && !isPaused;

/** Whether no item is left that could need anything. */
export const isOver = ({ next, queue, drafting, started, closed }: BuildState): boolean =>
  next === null && queue.length === 0 && drafting.length === 0 && closed >= started;

export function reported(state: BuildState, report: ItemReport): BuildState {
  if (report.kind === 'held') {
    const others = state.held.filter(({ item }) => item !== report.held.item);
    return { ...state, held: [...others, report.held] };
  }
  const { item, kind } = report;
  return {
    ...without(state, item),
    closed: state.closed + (kind === 'closed' ? 1 : 0),
  };
}

/** Of an item that drafts no more. */
export const without = (state: BuildState, item: ItemId): BuildState => ({
  ...state,
  drafting: state.drafting.filter((each) => each !== item),
  held: state.held.filter((each) => each.item !== item),
});

/** The items that the free part of the budget lets go on, as many as it covers together. */
export function affordableItems({ held, ledger }: BuildState): readonly HeldItem[] {
  let { usd, tokens } = freeOf(ledger);
  const waiting = held.filter(({ need }) => need !== null);
  const end = waiting.findIndex(({ need }) => {
    usd -= need?.usd ?? 0;
    tokens -= need?.tokens ?? 0;
    return usd < 0 || tokens < 0;
  });
  return end === -1 ? waiting : waiting.slice(0, end);
}
