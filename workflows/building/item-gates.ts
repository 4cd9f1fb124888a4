import { ApplicationFailure } from '@temporalio/common';
import { condition, setHandler } from '@temporalio/workflow';
import { assign, takeDecision } from '../../domain/building/decide.js';
import {
  assigningProblem,
  problemWith,
  type Annotators,
} from '../../domain/building/decision-problem.js';
import {
  phaseOf,
  versionsInUse,
  type Assigning,
  type Decided,
  type Decision,
  type Item,
  type Version,
} from '../../domain/building/item.js';
import { assignUpdate, decideUpdate, type DecisionTaken } from '../messages.js';
import type { ItemControl } from './item-control.js';
import { forMinutes, queued } from '../scheduling.js';

const { keepEdit } = queued('5 minutes', forMinutes);

/**
 * Registers the updates by which people decide. One is decided after the other; whoever comes second is told who was first. What
 * cannot be taken is refused before it enters the history, except an edit that does not execute.
 */
export function acceptDecisions(control: ItemControl, annotators: Annotators): void {
  const decisionOf = (id: unknown): Decided | undefined =>
    control.item.decisions.find((decided) => decided.id === id);

  setHandler<DecisionTaken, [Decision], typeof decideUpdate>(
    decideUpdate,
    async (decision): Promise<DecisionTaken> => {
      await condition(() => control.isOpened);
      return control.deciding.run(async () => {
        const known = decisionOf(decision.id);
        if (known !== undefined) {
          await control.keep();
          return { decided: known, item: control.item };
        }
        refuseFor(problemWith(control.item, decision, annotators));
        const edited = await editOf(control, decision);
        const at = new Date().toISOString();
        const taken = takeDecision(control.item, decision, {
          at,
          annotators,
          ...(edited && { edited }),
        });
        control.change(taken.item);
        await control.keep();
        return { decided: taken.decided, item: control.item };
      });
    },
    {
      validator: (decision: Decision | null) => {
        if (!control.isOpened || decisionOf(decision?.id) !== undefined) return;
        refuseFor(problemWith(control.item, decision, annotators));
      },
    },
  );

  setHandler<Item, [Assigning], typeof assignUpdate>(
    assignUpdate,
    async (assigning): Promise<Item> => {
      await condition(() => control.isOpened);
      return control.deciding.run(async () => {
        refuseFor(assigningProblem(control.item, assigning));
        const { id, to, by } = assigning;
        control.change(assign(control.item, { id, to, by }, new Date().toISOString()));
        await control.keep();
        return control.item;
      });
    },
    {
      validator: (assigning) => {
        if (control.isOpened) refuseFor(assigningProblem(control.item, assigning));
      },
    },
  );
}

/** The version that an edit makes; undefined for other choices. It is refused where it does not execute. */
async function editOf(control: ItemControl, decision: Decision): Promise<Version | undefined> {
  const { item, dataset } = control;
  const phase = phaseOf(item.state);
  if (decision.choice.kind !== 'edit' || phase === undefined) return undefined;
  const version = item.versions.length + 1;
  const { edited: part } = phase;
  const made = await keepEdit({
    ...{ dataset, item: item.id, part, version },
    versions: versionsInUse(item),
    text: decision.choice.text,
  });
  if (made.kind === 'refused') throw refusal(made.message);
  return {
    ...{ version, part },
    at: new Date().toISOString(),
    by: { kind: 'person', name: decision.by, decision: decision.id },
    preview: made.preview,
  };
}

const refusal = (sentence: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(sentence, 'Refused');

function refuseFor(problem: string | null): void {
  if (problem !== null) throw refusal(problem);
}
