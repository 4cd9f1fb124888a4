import { queriesIn } from '../agent/database-qa/sql-statements.js';
import { lackOf, lackText } from '../models/chat-message.js';
import { categories } from '../scoring/dataset-item.js';
import { statementsOf } from '../formats/sql.js';
import { fewestQueries, mostQueriesAsked } from './prompts.js';
import type { Step } from './item.js';

/** What a reply comes to: the text of a part, or what is wrong with it. */
export type StepReply =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly message: string };

/** Characters of a question. */
const longestQuestion = 1_000;

/** Reads the reply to a step. Whether statements run is found out elsewhere. */
export function readStepReply(step: Step, reply: Parameters<typeof lackOf>[0]): StepReply {
  const lack = lackOf(reply);
  if (lack !== null) return unreadable(lackText[lack]);
  if (reply.cutOff) return unreadable('the reply ended at the token limit');
  const text = reply.raw.trim();
  switch (step) {
    case 'control':
    case 'condense': {
      const question = withoutQuotes(text);
      return question.length > longestQuestion || /\n\s*\n/.test(question)
        ? unreadable(`the reply is more than a question of ${longestQuestion} characters`)
        : { kind: 'text', text: question.replaceAll(/\s+/g, ' ') };
    }
    case 'conjecture':
    case 'conclude':
      return { kind: 'text', text };
    case 'construct':
      return sqlOf(blockOf(text), 1, Infinity, 'INSERT statement');
    case 'query':
      return sqlOf(queriesIn(text).join(';\n'), fewestQueries, mostQueriesAsked, 'query');
    case 'classify': {
      const kinds = [...text.matchAll(/^\W*Kind:\W*(\w+)\W*$/gim)].map(([, kind = '']) =>
        kind.toLowerCase(),
      );
      const kind = categories.find((category) => category === kinds.at(-1));
      return kind === undefined
        ? unreadable('the reply does not end with a line that names the kind')
        : { kind: 'text', text: kind };
    }
  }
}

const unreadable = (message: string): StepReply => ({ kind: 'unreadable', message });

const withoutQuotes = (text: string): string => /^"([^"]*)"$/.exec(text)?.[1] ?? text;

/** What stands in the code blocks of a reply; the whole reply without one. */
function blockOf(text: string): string {
  const blocks = [...text.matchAll(/^```\w*\n(.*?)(?:^```|$(?![\s\S]))/gms)].map(
    ([, block = '']) => block,
  );
  return blocks.length === 0 ? text : blocks.join('\n');
}

function sqlOf(sql: string, fewest: number, most: number, thing: string): StepReply {
  const statements = statementsOf(sql);
  if (statements.length < fewest || statements.length > most) {
    const wanted = most === Infinity ? `at least ${fewest}` : `${fewest} to ${most}`;
    return unreadable(`the reply has ${statements.length} of ${wanted} statements (${thing})`);
  }
  return { kind: 'text', text: scriptOf(statements) };
}

/** Statements as one text, from which `statementsOf` reads them again. */
export const scriptOf = (statements: readonly string[]): string =>
  statements.map((statement) => `${statement};`).join('\n');
