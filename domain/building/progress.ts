import { changed, openGate, park } from './decide.js';
import { noFailures, type Item, type ParkingReason, type Version } from './item.js';
import { phaseOfStep, stepAfter } from './phases.js';

/** Replies to a step whose statements do not run, before the item is parked. The first reply and three repairs. */
export const mostChecks = 4;
/** Replies to a step that cannot be read, before the item is parked. */
export const mostUnreadable = 3;
/** Of an error that goes back to the model, and into the item's file. */
export const longestMessage = 1_000;

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
