import { steps, type Step } from '../domain/building/item.js';
import { instructions } from '../domain/building/prompts.js';
import { readDelimited } from '../domain/scoring/delimited-sections.js';
import type { ChatRequest } from './chat-request.js';
import { filledTables, tablesIn, type SimulatedTable } from './filled-tables.js';
import { oneLine, type Script } from './script.js';

/**
 * The reply of the simulated model to a step of building a dataset; undefined if the request asks for none. The question that
 * it ends with is the seed's, so that a script that answers the seeds also answers the dataset. Rows are made from the schema.
 */
export function simulatedBuilding(
  { messages }: Pick<ChatRequest, 'messages'>,
  script: Pick<Script, 'building' | 'databaseQuestions'> = { building: [], databaseQuestions: [] },
): string | undefined {
  const prompt = messages.map(({ content }) => content).join('\n\n');
  const step = steps.find((each) => prompt.includes(instructions[each]));
  if (step === undefined) return undefined;
  const sections = messages.flatMap(({ content }) => readDelimited(content)?.sections ?? []);
  const text = (label: string): string => sections.find((each) => each.label === label)?.text ?? '';
  const isRepair = text('your last reply') !== '';
  const scripted = script.building.find(
    (entry) =>
      entry.step === step && prompt.includes(entry.includes) && (entry.always || !isRepair),
  );
  if (scripted !== undefined) return scripted.reply;
  const question = text('question');
  const known = script.databaseQuestions.find(
    (entry) => oneLine(entry.question) === oneLine(question),
  );
  return replies[step]({
    seed: text('seed question'),
    question,
    remark: text('remark of an editor'),
    tables: tablesIn(text('schema')),
    results: text('queries with results'),
    scripted: known?.answer,
  });
}

interface Asked {
  readonly seed: string;
  readonly question: string;
  readonly remark: string;
  readonly tables: readonly SimulatedTable[];
  readonly results: string;
  /** The answer of the script to this question. */
  readonly scripted: string | undefined;
}

/** What is put before a seed question, and taken away again. */
const preamble = 'Considering all tables of the schema together, and leaving nothing out: ';

const replies: Readonly<Record<Step, (asked: Asked) => string>> = {
  control: ({ seed, remark }) => `${preamble}${withRemark(seed, remark)}`,
  condense: ({ question, remark }) => withRemark(question.replace(preamble, ''), remark),
  conjecture: ({ question, scripted }) =>
    scripted ?? `The simulated model supposes that the second of three stands out. ${question}`,
  construct: ({ tables }) => `\`\`\`sql\n${filledTables(tables).join('\n')}\n\`\`\``,
  query: ({ tables }) =>
    `\`\`\`sql\n${[...tables, ...tables]
      .slice(0, Math.max(2, Math.min(4, tables.length)))
      .map(({ sqlName }) => `SELECT * FROM ${sqlName} ORDER BY ALL LIMIT 5;`)
      .join('\n')}\n\`\`\``,
  conclude: ({ question, results }) => {
    const numbers = [...new Set(results.match(/\b\d+(?:\.\d+)?\b/g))].slice(0, 6);
    return `The simulated model finds the figures ${numbers.join(', ')} in the results. They are all that bears on this: ${question} More than that, such as a cause, the data cannot tell.`;
  },
  classify: ({ question }) =>
    /\b(impact|success|notable|important|healthy|trust|worth|well|good|fair|strong|weak)\w*\b/i.test(
      question,
    )
      ? 'It turns on a word that can be taken in more than one way.\n\nKind: interpretive'
      : 'The data settle it.\n\nKind: conclusive',
};

const withRemark = (question: string, remark: string): string =>
  remark === '' ? question : `${question} (${oneLine(remark)})`;
