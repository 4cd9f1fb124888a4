import { expectTypeOf, it } from 'vitest';
import type { actionKinds, actionNames } from '../../domain/agent/actions/action.js';
import { type ActionKind, type ActionName } from '../../domain/agent/actions/action.js';
import type { FailureType } from '../../domain/failure-type.js';
import type { MethodName, methodNames } from '../../domain/agent/methods.js';
import type { actionLabels } from '../../domain/runs/workflow-details.js';
import type { endedForOutsideReasons, outcomeKinds } from '../../domain/agent/question-result.js';
import { type Outcome, type OutcomeKind } from '../../domain/agent/question-result.js';

it('has every kind of outcome in every list of them', () => {
  expectTypeOf<(typeof outcomeKinds)[number]>().toEqualTypeOf<OutcomeKind>();
  expectTypeOf<keyof typeof endedForOutsideReasons>().toEqualTypeOf<OutcomeKind>();
});

it('has every action and every method in every list of them', () => {
  expectTypeOf<(typeof actionNames)[number]>().toEqualTypeOf<ActionName>();
  expectTypeOf<(typeof actionKinds)[number]>().toEqualTypeOf<ActionKind>();
  expectTypeOf<keyof typeof actionLabels>().toEqualTypeOf<ActionKind>();
  expectTypeOf<(typeof methodNames)[number]>().toEqualTypeOf<MethodName>();
});

it('gives an outcome the fields of its kind and no others', () => {
  expectTypeOf<Extract<Outcome, { kind: 'infra-error' }>['failure']>().toEqualTypeOf<
    FailureType | 'Unknown'
  >();
  expectTypeOf<keyof Extract<Outcome, { kind: 'answered' }>>().toEqualTypeOf<'kind'>();
  // @ts-expect-error an outside failure says which
  const incomplete: Outcome = { kind: 'infra-error', message: 'lost' };
  expectTypeOf(incomplete).toExtend<Outcome>();
});
