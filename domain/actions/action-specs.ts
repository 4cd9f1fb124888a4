import { actionFormats, type ActionFormatName } from './action-formats.js';
import type { ActionSpec } from './action-spec.js';
import type { ActionName } from './action.js';

/** All that prompts, parsing and rendering know about actions. An action is added here and in `actionSchema`. */
export const actionSpecs: Readonly<Record<ActionName, ActionSpec>> = {
  RetrieveFromDatabase: {
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
  },
  ClassicRetrieve: {
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
        default: 5,
        description: 'How many passages to return: a positive integer. At most 10 are shown.',
      },
    ],
    examples: [
      {
        explanation: 'Find out how the annotators agreed with each other.',
        action: {
          kind: 'ClassicRetrieve',
          query: 'inter-annotator agreement of the human evaluation',
          limit: 5,
        },
      },
      {
        explanation: "Look at the three passages nearest to the question of the encoder's size.",
        action: { kind: 'ClassicRetrieve', query: "the encoder's number of layers", limit: 3 },
      },
    ],
  },
  GenerateAnswer: {
    name: 'GenerateAnswer',
    description:
      'Give the final answer once what you have seen settles the question. The answer must have the form that the answer format asks for.',
    observation: 'None: this action ends the task.',
    parameters: [
      {
        name: 'answer',
        type: 'Any',
        description: 'The answer, as a Python literal of the type that the answer format asks for.',
      },
    ],
    examples: [
      {
        explanation: 'The question asks for a number, and it is 0.87.',
        action: { kind: 'GenerateAnswer', answer: { kind: 'literal', source: '0.87' } },
      },
      {
        explanation: 'The question asks for a list of two names.',
        action: {
          kind: 'GenerateAnswer',
          answer: { kind: 'literal', source: "['BLEU', 'chrF']" },
        },
      },
    ],
  },
};

/** The part of the system prompt that specifies `names` (layout: hybrid-agent.md §2.1). */
export function renderActionSpace(names: readonly ActionName[], format: ActionFormatName): string {
  const { title } = actionFormats[format];
  const list = names.map((name) => `'${name}'`).join(', ');
  const specs = names.map((name) => renderSpec(actionSpecs[name], format));
  return (
    `## Action and Observation Space\n` +
    `These actions are available: [${list}]. Each is specified below in ${title} format:\n` +
    specs.join('\n----\n')
  );
}

function renderSpec(spec: ActionSpec, format: ActionFormatName): string {
  const { title, renderSyntax, renderAction } = actionFormats[format];
  const cases = spec.examples.map(
    ({ explanation, action }, index) =>
      `\n#### Case ${index + 1}\n${explanation}\n\n[Action]: ${renderAction(action)}\n`,
  );
  return [
    `\n### Action Type\n${spec.name}\n`,
    `### Description\n${spec.description}\n`,
    `### Observation\n${spec.observation}\n`,
    `### Syntax and Parameters (${title} Format)\n${renderSyntax(spec)}\n`,
    `### Use Cases\n${cases.join('\n')}\n`,
  ].join('\n');
}
