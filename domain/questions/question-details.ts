import type { ActionName } from '../actions/action.js';
import type { ModelTurn } from './model-turn.js';

/** Short names for screens; the actions' own names are the model's business. */
export const actionLabels = {
  RetrieveFromDatabase: 'SQL',
  RetrieveFromVectorstore: 'vector search',
  ClassicRetrieve: 'search',
  CalculateExpr: 'calculation',
  ViewImage: 'image',
  GenerateAnswer: 'answer',
} as const satisfies Record<ActionName, string>;

export interface QuestionMoment {
  readonly question: string;
  readonly turn: number;
  readonly maxTurns: number;
  readonly reply: ModelTurn | null;
  readonly observation: string | null;
}

/** A question's life at this moment, in Markdown, for the Temporal UI's current details. */
export function questionDetails(moment: QuestionMoment): string {
  const { question, turn, maxTurns, reply, observation } = moment;
  return [
    `**${question}**`,
    `Turn ${turn} of at most ${maxTurns}`,
    ...(reply ? [`Action: ${describeReply(reply)}`] : []),
    ...(observation === null ? [] : [`Observation: ${observation}`]),
  ].join('\n\n');
}

export const describeReply = (reply: ModelTurn): string =>
  reply.kind === 'action'
    ? `${actionLabels[reply.action]} · ${reply.preview}`
    : `unreadable · ${reply.error}`;
