import type { PromptTexts } from '../../models/prompt-file.js';
import { actionSpec, actionTexts } from '../actions/action-specs.js';
import { textsOfStages } from '../database-qa/prompts.js';
import type { Method } from '../turn-plan.js';
import { methodNames, methodOf } from '../methods.js';
import type { Plugin } from '../plugin.js';
import {
  answerPrompt,
  iterativeSystem,
  numbered,
  retrievalPrompt,
  stageTexts,
  taskInputs,
} from './method-prompts.js';
import { graphQueryPrompt, judgePrompt, noteTexts } from './prompt-texts.js';

/** What a method tells a model, by the names that a file of other texts has. Its schemas, examples and rows are data. */
export function agentTexts(config: Parameters<typeof methodOf>[0]): PromptTexts {
  const method = methodOf(config);
  const own = Object.entries(promptsOf(method)).map(([part, text]) => [config.method + part, text]);
  if (method.kind === 'database' || method.kind === 'program')
    return Object.fromEntries(own) as PromptTexts;
  const about = method.kind === 'iterative' ? method.about : undefined;
  return Object.fromEntries([
    ...own,
    ...Object.entries({ ...inputTexts, ...stageTexts, ...noteTexts }),
    ...actionsOf(method).flatMap((each) => Object.entries(actionTexts(actionSpec(each, about)))),
  ]) as PromptTexts;
}

/** Those of all methods. */
export const textsOfAgents = (plugins: readonly Plugin[]): PromptTexts =>
  Object.fromEntries(
    [...methodNames, ...plugins.flatMap(({ methods }) => Object.keys(methods))].flatMap((method) =>
      Object.entries(agentTexts({ method, plugins })),
    ),
  );

const inputTexts = Object.fromEntries(
  Object.entries(taskInputs).map(([input, text]) => [`input.${input}`, text]),
);

function actionsOf(method: Method) {
  if (method.kind === 'iterative') return method.actions;
  return method.kind === 'two-stage' && method.retrieval.kind === 'action'
    ? method.retrieval.actions
    : [];
}

/** By what stands behind the name of the method in theirs. */
function promptsOf(method: Method): PromptTexts {
  switch (method.kind) {
    case 'iterative':
      return { '': withRole(systemOf(numbered(method.hints)), method.role) };
    case 'single-shot':
      return { '': withRole(answerPrompt, method.role) };
    case 'two-stage':
      return {
        '': withRole(retrievalPrompt, method.role),
        '.answer': withRole(answerPrompt, method.answerRole),
      };
    case 'graph':
      return {
        '.query': graphQueryPrompt,
        ...(method.judge && { '.judge': withRole(judgePrompt, method.judge.role) }),
      };
    case 'program':
      return {};
    case 'database':
      return textsOfStages(method.mode);
  }
}

const systemOf = (hints: string): string => iterativeSystem.replace('{{hints}}', () => hints);
const withRole = (prompt: string, role: string): string => prompt.replace('{{role}}', () => role);
