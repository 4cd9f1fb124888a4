import { createHash } from 'node:crypto';
import type { Means } from './means.js';
import type { LookUp, ScriptedQuestion } from './script.js';

const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 8);

/** What a made-up conversation answers, known beforehand so that a run can be checked. */
export const generatedAnswer = (question: string): string => `answer ${shortHash(question)}`;

/** Cheap, and valid on every store of papers. */
const lookUps: readonly ((question: string) => Omit<LookUp, 'thought'>)[] = [
  () => ({ sql: 'SELECT paper_id, title, num_pages FROM metadata ORDER BY title LIMIT 3;' }),
  (question) => ({ search: question.slice(0, 80) }),
  () => ({
    sql: 'SELECT page_number, length(page_content) AS characters FROM pages ORDER BY page_number LIMIT 5;',
  }),
  (question) => ({ search: `${shortHash(question)} results` }),
  () => ({
    sql: 'SELECT ref_paper_id, count(*) AS passages FROM chunks GROUP BY ref_paper_id ORDER BY ref_paper_id LIMIT 5;',
  }),
];

/** A conversation of `turns` turns by the means there are: looks things up, and answers in the last. */
export function generatedQuestion(question: string, turns: number, means: Means): ScriptedQuestion {
  const possible = lookUps
    .map((lookUp) => lookUp(question))
    .filter(({ sql }) => (sql === undefined ? means.search : means.sql) !== null);
  const thought = (turn: number): string => `Step ${turn} of ${turns} for ${shortHash(question)}`;
  return {
    question,
    steps: Array.from({ length: turns - 1 }, (_, index) => ({
      thought: thought(index + 1),
      ...possible[index % possible.length],
    })),
    answer: { thought: thought(turns), value: generatedAnswer(question) },
  };
}
