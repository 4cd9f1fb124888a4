import type { PromptTexts } from '../../models/prompt-file.js';
import type { ActionRef, ActionSpec, Field, ParameterSpec, Subject } from './action-spec.js';
import { anyValueOfJson, type Action, type ActionName } from './action.js';
import {
  classicRetrieve,
  queryGraph,
  retrieveFromDatabase,
  retrieveFromVectorstore,
} from './retrieval-specs.js';

/** The same action where the tables are not about papers. */
const searchAnyTexts: ActionSpec = {
  ...retrieveFromVectorstore,
  parameters: retrieveFromVectorstore.parameters.map((parameter) =>
    parameter.name === 'filter'
      ? {
          ...parameter,
          description:
            "A condition that entries must meet besides, in the schema's filter operators, for example on primary_key.",
        }
      : parameter,
  ),
};

const calculateExpr: ActionSpec = {
  name: 'CalculateExpr',
  description:
    'Work out an arithmetic expression. Use it rather than mental arithmetic whenever an answer is a sum, difference, ratio, mean or comparison of numbers you have seen.',
  observation: 'The value of the expression, or why it has none.',
  parameters: [
    {
      name: 'expr',
      type: 'str',
      description:
        'The expression as Python writes it: + - * / // % **, parentheses, comparisons, lists, and abs, round, min, max, sum and sqrt. It holds numbers only, no names of your own.',
    },
  ],
  examples: [
    {
      explanation:
        'By how many points the second score exceeds the mean of the other two, rounded.',
      action: { kind: 'CalculateExpr', expr: 'round(71.4 - (68.9 + 70.2) / 2, 2)' },
    },
  ],
};

const generateAnswer: ActionSpec = {
  name: 'GenerateAnswer',
  description:
    'Give the final answer once what you have seen settles the question. The answer must have the form that the answer format asks for.',
  observation: 'None: this action ends the task.',
  parameters: [
    {
      name: 'answer',
      type: 'Any',
      description: 'The answer, of the type that the answer format asks for.',
    },
  ],
  examples: [
    {
      explanation: 'The question asks for a number, and it is 0.87.',
      action: { kind: 'GenerateAnswer', answer: anyValueOfJson(0.87) },
    },
    {
      explanation: 'The question asks for a list of two names.',
      action: { kind: 'GenerateAnswer', answer: anyValueOfJson(['BLEU', 'chrF']) },
    },
  ],
};

const viewImage: ActionSpec = {
  name: 'ViewImage',
  description:
    'Look at a page of a paper as a picture, or at a part of it: for figures, plots, tables and formulas whose text does not tell enough.',
  observation: 'The picture, or why there is none.',
  parameters: [
    {
      name: 'paper_id',
      type: 'str',
      unchecked: true,
      description: 'The id of the paper.',
    },
    {
      name: 'page_number',
      type: 'int',
      description: 'The page, counted from 1.',
    },
    {
      name: 'bounding_box',
      type: 'List[float]',
      default: anyValueOfJson([]),
      description:
        'The part of the page to show: [x, y, width, height] in PDF points from the top left corner. An empty list shows the whole page.',
    },
  ],
  examples: [
    {
      explanation: "Look at the whole of page 4 of paper 'p-17', where the architecture is drawn.",
      action: {
        kind: 'ViewImage',
        paper_id: { kind: 'text', text: 'p-17' },
        page_number: anyValueOfJson(4),
        bounding_box: anyValueOfJson([]),
      },
    },
    {
      explanation:
        "Read the values off a plot on page 7 of paper 'p-17' whose box was found in the images table.",
      action: {
        kind: 'ViewImage',
        paper_id: { kind: 'text', text: 'p-17' },
        page_number: anyValueOfJson(7),
        bounding_box: anyValueOfJson([72, 90, 450, 210.5]),
      },
    },
  ],
};

/** The specifications that prompts, parsing and rendering use. To add an action, add it here and in `actionSchema`. */
export const actionSpecs: Readonly<Record<ActionName, ActionSpec>> = {
  RetrieveFromDatabase: retrieveFromDatabase,
  RetrieveFromVectorstore: retrieveFromVectorstore,
  ClassicRetrieve: classicRetrieve,
  CalculateExpr: calculateExpr,
  ViewImage: viewImage,
  QueryGraph: queryGraph,
  GenerateAnswer: generateAnswer,
};

const specsAboutTables: Readonly<Partial<Record<ActionName, ActionSpec>>> = {
  RetrieveFromVectorstore: searchAnyTexts,
};

/** The specification of an action as a method shows it, with other texts in the place of ours (`actionTexts`). */
export function actionSpec(
  action: ActionRef,
  about: Subject = 'papers',
  prompts: PromptTexts = {},
): ActionSpec {
  const spec =
    typeof action !== 'string'
      ? action
      : ((about === 'tables' ? specsAboutTables[action] : undefined) ?? actionSpecs[action]);
  const { name, parameters } = spec;
  const told = (part: string, own: string): string => prompts[`action.${name}${part}`] ?? own;
  return {
    ...spec,
    description: told('', spec.description),
    observation: told('.observation', spec.observation),
    parameters: parameters.map((each) => ({
      ...each,
      description: told(`.${each.name}`, each.description),
    })),
  };
}

/** What models are told of an action, apart from its examples, which are made of the store at hand. */
export const actionTexts = ({ name, ...spec }: ActionSpec): PromptTexts => ({
  [`action.${name}`]: spec.description,
  [`action.${name}.observation`]: spec.observation,
  ...Object.fromEntries(
    spec.parameters.map((each) => [`action.${name}.${each.name}`, each.description]),
  ),
});

/** The parameters of an action with their values, in the order of the specification. Hidden parameters are left out. */
export function fieldsOf(
  action: Action,
): readonly (readonly [parameter: Pick<ParameterSpec, 'name' | 'type'>, field: Field])[] {
  if (action.kind === 'PluginAction') {
    return action.fields.map(({ name, value }) => [{ name, type: 'Any' }, value] as const);
  }
  const fields = new Map(Object.entries<Field | undefined>(action));
  return actionSpecs[action.kind].parameters.flatMap((parameter) => {
    const field = fields.get(parameter.name);
    return field === undefined ? [] : [[parameter, field] as const];
  });
}
