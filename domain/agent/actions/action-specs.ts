import type { PromptTexts } from '../../models/prompt-file.js';
import {
  anyValueOfJson,
  type Action,
  type ActionName,
  type ActionRef,
  type ActionSpec,
  type Field,
  type ParameterSpec,
  type Subject,
} from './action.js';

const classicRetrieve: ActionSpec = {
  name: 'ClassicRetrieve',
  description:
    'Search the Milvus vectorstore for passages of the papers whose meaning is close to a query text.',
  observation:
    'The closest passages, best first, each with its score and the place in the database it comes from.',
  parameters: [
    {
      name: 'query',
      type: 'str',
      description:
        'What to look for, in plain language. A short, specific wording finds more than the whole question.',
    },
    {
      name: 'limit',
      type: 'int',
      default: anyValueOfJson(5),
      description: 'How many passages to return: a positive integer. At most 10 are shown.',
    },
  ],
  examples: [
    {
      explanation: 'Find out how the annotators agreed with each other.',
      action: {
        kind: 'ClassicRetrieve',
        query: 'inter-annotator agreement of the human evaluation',
        limit: anyValueOfJson(5),
      },
    },
    {
      explanation: "Look at the three passages nearest to the question of the encoder's size.",
      action: {
        kind: 'ClassicRetrieve',
        query: "the encoder's number of layers",
        limit: anyValueOfJson(3),
      },
    },
  ],
};

const queryGraph: ActionSpec = {
  name: 'QueryGraph',
  description:
    'Ask a graph of the entities in the papers, and of how they relate, a question in words. Use it for what is spread over many papers: themes, comparisons, who builds on whom.',
  observation: 'An answer in words, put together from the graph.',
  parameters: [
    {
      name: 'query',
      type: 'str',
      description: 'A question that can be understood by itself. Name papers by their titles.',
    },
  ],
  examples: [
    {
      explanation: 'Ask for a theme that no single passage states.',
      action: {
        kind: 'QueryGraph',
        query: 'Which kinds of data augmentation do the papers on speech recognition use?',
      },
    },
    {
      explanation: 'Ask how papers relate.',
      action: {
        kind: 'QueryGraph',
        query: 'Which papers evaluate on a benchmark that another of the papers introduces?',
      },
    },
  ],
};

const retrieveFromDatabase: ActionSpec = {
  name: 'RetrieveFromDatabase',
  description:
    'Run one SQL query against the DuckDB database. Use the table and column names of the given database schema; only reading is possible.',
  observation:
    'The rows the query returned, or the error it ended with. When there are many rows or long ones, only the first are shown.',
  parameters: [
    {
      name: 'sql',
      type: 'str',
      description: 'A complete SELECT statement in the DuckDB dialect.',
    },
  ],
  examples: [
    {
      explanation: "List the section titles of the paper whose paper_id is 'p-17', in order.",
      action: {
        kind: 'RetrieveFromDatabase',
        sql: "SELECT section_title FROM sections WHERE ref_paper_id = 'p-17' ORDER BY ordinal;",
      },
    },
    {
      explanation:
        "Read the caption and content of every table in paper 'p-17' that mentions accuracy, with the page it is on.",
      action: {
        kind: 'RetrieveFromDatabase',
        sql: "SELECT p.page_number, t.table_caption, t.table_content FROM tables t JOIN pages p ON t.ref_page_id = p.page_id WHERE t.ref_paper_id = 'p-17' AND t.table_caption ILIKE '%accuracy%';",
      },
    },
  ],
};

const retrieveFromVectorstore: ActionSpec = {
  name: 'RetrieveFromVectorstore',
  description:
    'Search one collection of the Milvus vectorstore for entries close to a query text. You choose which collection is searched, the database column whose cells are compared, and, if you like, a condition that narrows the search.',
  observation:
    'The closest entries, best first, each with its score, its text and the database cell it was made from.',
  parameters: [
    {
      name: 'query',
      type: 'str',
      description:
        'What to look for, in plain language. A short, specific wording finds more than the whole question.',
    },
    {
      name: 'collection_name',
      type: 'str',
      description: 'A collection of the given vectorstore schema.',
    },
    {
      name: 'table_name',
      type: 'str',
      description: 'The database table whose cells are searched.',
    },
    {
      name: 'column_name',
      type: 'str',
      description:
        'The column of that table; the pair must be one that the schema says is encoded.',
    },
    {
      name: 'filter',
      type: 'str',
      default: '',
      description:
        "A condition that entries must meet besides, in the schema's filter operators, for example on pdf_id or page_number.",
    },
    {
      name: 'limit',
      type: 'int',
      default: anyValueOfJson(5),
      description: 'How many entries to return: a positive integer. At most 10 are shown.',
    },
  ],
  examples: [
    {
      explanation:
        "Find passages of paper 'p-17' about how the learning rate was chosen, by words they share with the query.",
      action: {
        kind: 'RetrieveFromVectorstore',
        query: 'learning rate schedule warm-up',
        collection_name: 'text_bm25_en',
        table_name: 'chunks',
        column_name: 'text_content',
        filter: "pdf_id == 'p-17'",
        limit: anyValueOfJson(5),
      },
    },
    {
      explanation:
        'Among the abstracts of all papers, find the three that come closest in meaning to a topic.',
      action: {
        kind: 'RetrieveFromVectorstore',
        query: 'detecting sarcasm in code-mixed text',
        collection_name: 'text_by_meaning',
        table_name: 'metadata',
        column_name: 'abstract',
        filter: '',
        limit: anyValueOfJson(3),
      },
    },
  ],
};

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
