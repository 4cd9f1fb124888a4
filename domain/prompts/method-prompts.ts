import type { IterativeMethod, TwoStageMethod } from '../methods/method.js';
import type { TurnSettings } from '../methods/turn-plan.js';
import { renderActionSpace, renderActionSpecs } from '../actions/render-action-space.js';
import {
  actionRequest,
  retrievalPrompt,
  sqlInstructions,
  sqlRequest,
  toolRequest,
} from './retrieval-prompt.js';
import { answerPrompt } from './answer-prompt.js';
import { fillPrompt } from './fill-prompt.js';
import { interactionFramework } from './interaction-framework.js';
import { iterativeSystem } from './iterative-system.js';
import { schemaInputs } from './schema-blocks.js';
import { describeInputs, type TaskInput } from './task-inputs.js';

const taskInputs = ['question', 'answerFormat', 'anchorIds', 'conference'] as const;

/** The system message of an iterative method. */
export const iterativeSystemMessage = (
  { role, actions, schemas, hints }: IterativeMethod,
  { actionFormat, maxTurns }: TurnSettings,
): string =>
  fillPrompt(iterativeSystem, {
    role,
    inputs: describeInputs([...taskInputs, ...schemas.map((block) => schemaInputs[block])]),
    actionSpace: renderActionSpace(actions, actionFormat),
    framework: interactionFramework(actionFormat),
    hints: hints.map((hint, index) => `${index + 1}. ${hint}`).join('\n'),
    maxTurns: String(maxTurns),
  });

/** The one message of the first stage of two. */
export const retrievalMessage = (
  { role, schemas, retrieval }: TwoStageMethod,
  task: string,
  { actionFormat }: Pick<TurnSettings, 'actionFormat'>,
): string =>
  fillPrompt(retrievalPrompt, {
    role,
    inputs: describeInputs([...taskInputs, ...schemas.map((block) => schemaInputs[block])]),
    task,
    ...retrievalTexts(retrieval, actionFormat === 'tools'),
  });

function retrievalTexts(
  retrieval: TwoStageMethod['retrieval'],
  tools: boolean,
): { readonly instructions: string; readonly request: string } {
  if (retrieval.kind === 'sql') return { instructions: sqlInstructions, request: sqlRequest };
  const { actions } = retrieval;
  if (tools) return { instructions: renderActionSpace(actions, 'tools'), request: toolRequest };
  // As in the reference, a single action needs no list of names before its specification.
  const space = actions.length > 1 ? renderActionSpace : renderActionSpecs;
  return { instructions: space(actions, 'json').trim(), request: actionRequest };
}

/** The one message that asks for the answer at once. */
export const answerMessage = (
  role: string,
  task: string,
  { withContext }: { readonly withContext: boolean },
): string => {
  const inputs: readonly TaskInput[] = withContext
    ? ['question', 'answerFormat', 'anchorTitles', 'conference', 'context']
    : ['question', 'answerFormat'];
  return fillPrompt(answerPrompt, { role, inputs: describeInputs(inputs), task });
};
