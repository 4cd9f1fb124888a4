import { expect, expectTypeOf, it } from 'vitest';
import {
  type actionKinds,
  type actionNames,
  type ActionKind,
  type ActionName,
} from '../../domain/agent/actions/action.js';
import type { FailureType } from '../../domain/failure-type.js';
import { methodNames, methods, type MethodName } from '../../domain/agent/methods.js';
import type { AskedScore } from '../../domain/scoring/own-scorer.js';
import type {
  ActionName as DefinedActionName,
  AskedScore as DefinedAskedScore,
  LikeMethod,
} from '../../plugins/define.js';
import type { actionLabels } from '../../domain/runs/workflow-details.js';
import type {
  endedForOutsideReasons,
  outcomeKinds,
  Outcome,
  OutcomeKind,
} from '../../domain/agent/question-result.js';

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

it('names in the types of plugins the actions and methods that turnwise has', () => {
  expectTypeOf<DefinedActionName>().toEqualTypeOf<ActionName>();
  const like = methodNames.filter((name) =>
    ['iterative', 'single-shot', 'two-stage'].includes(methods[name].kind),
  );
  expectTypeOf<LikeMethod>().toExtend<MethodName>();
  const named: Readonly<Record<LikeMethod, true>> = {
    hybrid_react: true,
    database_react: true,
    neusym_rag: true,
    iterative_sym_rag: true,
    iterative_neu_rag: true,
    iterative_classic_rag: true,
    two_stage_hybrid_rag: true,
    two_stage_sym_rag: true,
    two_stage_neu_rag: true,
    classic_rag: true,
    trivial_full_text_with_cutoff: true,
    trivial_title_with_abstract: true,
    trivial_question_only: true,
    'text-to-sql': true,
  };
  expect(Object.keys(named).sort()).toEqual([...like].sort());
});

it('tells scorers of plugins and programs the same', () => {
  expectTypeOf<DefinedAskedScore>().toEqualTypeOf<AskedScore>();
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
