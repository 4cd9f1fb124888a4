import type { ModelApi } from '../../../domain/model-api.js';
import type { FinishReason } from '../../../domain/models/chat-message.js';
import type { OutcomeKind } from '../../../domain/agent/question-result.js';

/** An answer of a provider, written after public documentation and reports, that is given to every call of one question. */
export interface ProviderAnswer {
  readonly name: string;
  readonly api: ModelApi;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text as it is, anything else as JSON. */
  readonly body: unknown;
  /** How the reply is read; null for what is no reply. */
  readonly finish: FinishReason | null;
  /** How a question ends that gets it for ever. */
  readonly outcome: OutcomeKind;
  /** What each costs, in tokens of prompt and completion; null for what is not billed. */
  readonly billed: readonly [prompt: number, completion: number] | null;
}

type Answer = Omit<ProviderAnswer, 'api' | 'status' | 'billed'> &
  Partial<Pick<ProviderAnswer, 'status' | 'billed'>>;

/** Twenty tokens of prompt and five of completion, unless an answer says otherwise. */
const usual = [20, 5] as const;

export const answersBy = (api: ModelApi, answers: readonly Answer[]): readonly ProviderAnswer[] =>
  answers.map((answer) => ({
    status: 200,
    billed: answer.finish === null ? null : usual,
    ...answer,
    api,
    name: `${api}: ${answer.name}`,
  }));
