import { createHash } from 'node:crypto';
import { repr } from '../../domain/python/text.js';
import { pythonFromJson } from '../../domain/python/value.js';

const shortHash = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 8);

const literal = (text: string): string => repr(pythonFromJson(text));

/** What a made-up conversation answers, known beforehand so that a run can be checked. */
export const generatedAnswer = (question: string): string => `answer ${shortHash(question)}`;

/** Cheap, and valid on every store of papers. */
const lookUps: readonly ((question: string) => string)[] = [
  () =>
    'RetrieveFromDatabase(sql="SELECT paper_id, title, num_pages FROM metadata ORDER BY title LIMIT 3;")',
  (question) => `ClassicRetrieve(query=${literal(question.slice(0, 80))}, limit=3)`,
  () =>
    'RetrieveFromDatabase(sql="SELECT page_number, length(page_content) AS characters FROM pages ORDER BY page_number LIMIT 5;")',
  (question) => `ClassicRetrieve(query=${literal(`${shortHash(question)} results`)}, limit=2)`,
  () =>
    'RetrieveFromDatabase(sql="SELECT ref_paper_id, count(*) AS passages FROM chunks GROUP BY ref_paper_id ORDER BY ref_paper_id LIMIT 5;")',
];

/** The turn after `lastThought` in a conversation of `turns` turns: looks things up, and answers in the last. */
export function generatedTurn(
  question: string,
  lastThought: string | undefined,
  turns: number,
): { readonly thought: string; readonly action: string } {
  const done = Number(/^\s*Step (\d+) of /.exec(lastThought ?? '')?.[1] ?? 0);
  const step = Math.min(done + 1, turns);
  const lookUp = lookUps[(step - 1) % lookUps.length];
  return {
    thought: `Step ${step} of ${turns} for ${shortHash(question)}`,
    action:
      step === turns || lookUp === undefined
        ? `GenerateAnswer(answer=${literal(generatedAnswer(question))})`
        : lookUp(question),
  };
}
