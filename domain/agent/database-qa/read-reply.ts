import type { ReplyRecord } from '../turn-record.js';
import { failedQueries, stepsOf, type DatabaseStage } from './stages.js';
import { queriesIn } from './sql-statements.js';
import type { FinishedTurn } from '../turn-record.js';

/** The line with which the agent of mode `iterative` declares that it has enough. */
export const enoughMark = 'ENOUGH';
/** What stands before the next need. */
export const needMark = 'NEXT:';

/**
 * Reads a reply by the stage of its turn. A reply without a plan or without SQL gives an empty plan or list.
 */
export function readDatabaseReply(
  { content }: { readonly content: string },
  stage: DatabaseStage,
  turns: readonly FinishedTurn[],
): ReplyRecord['reading'] {
  switch (stage) {
    case 'plan':
      return { kind: 'step', step: { kind: 'plan', text: content.trim() } };
    case 'need':
      return { kind: 'step', step: readNeed(content) };
    case 'queries':
    case 'query': {
      const round = stepsOf(turns).filter(({ kind }) => kind === 'queries').length + 1;
      return { kind: 'step', step: { kind: 'queries', round, queries: queriesIn(content) } };
    }
    case 'repairs': {
      const failed = failedQueries(turns).map(({ index }) => index);
      const queries = queriesIn(content).slice(0, failed.length);
      const repairOf = failed.slice(0, queries.length);
      return { kind: 'step', step: { kind: 'queries', round: 1, queries, repairOf } };
    }
    case 'answer': {
      const answer = { kind: 'text', text: answerIn(content) } as const;
      return { kind: 'action', thought: '', action: { kind: 'GenerateAnswer', answer } };
    }
  }
}

/** The declaration stands alone on the last line, in any case. It is not looked for in prose. */
function readNeed(reply: string) {
  const lines = reply.trim().split('\n');
  const last = (lines.at(-1) ?? '').replace(/[^A-Za-z]/g, '');
  if (last.toUpperCase() === enoughMark) return { kind: 'enough' } as const;
  const at = lines.findLastIndex((line) => bare(line).startsWith(needMark));
  const text = at === -1 ? reply : lines.slice(at).join('\n');
  return { kind: 'plan', text: bare(bare(text).replace(needMark, '')).trim() } as const;
}

/** Without marks of emphasis at the beginning. */
const bare = (text: string): string => text.replace(/^[\s*_#>]+/, '');

/** The text between the last pair of answer tags; an open tag reaches to the end. The whole reply without tags. */
function answerIn(reply: string): string {
  const inner = reply.split(/<answer>/i).at(-1) ?? '';
  return inner === reply ? reply.trim() : (inner.split(/<\/answer>/i)[0] ?? '').trim();
}
