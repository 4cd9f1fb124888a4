import { expectTypeOf, it } from 'vitest';
import {
  questionIdSchema,
  questionWorkflowId,
  runIdSchema,
  runWorkflowId,
  storeNameSchema,
  type QuestionId,
  type RunId,
  type StoreName,
} from '../../domain/ids.js';
import { homeIdSchema } from '../../domain/home.js';

const home = homeIdSchema.parse('tests');
const run = runIdSchema.parse('a-run');
const uuid = questionIdSchema.parse('q1');
const store = storeNameSchema.parse('papers');

it('lets no id stand where another kind belongs', () => {
  // @ts-expect-error a question is no run
  runWorkflowId(home, uuid);
  // @ts-expect-error a store is no run
  runWorkflowId(home, store);
  // @ts-expect-error nor is any text
  runWorkflowId(home, 'a-run');
  // @ts-expect-error a run is no question
  questionWorkflowId(home, run, { uuid: run, epoch: 1 });
  expectTypeOf<RunId>().not.toExtend<QuestionId>();
  expectTypeOf<QuestionId>().not.toExtend<RunId>();
  expectTypeOf<StoreName>().not.toExtend<RunId>();
});
