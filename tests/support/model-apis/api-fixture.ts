import type { ModelReply } from '../../../activities/ports/model.js';
import type { ServedBy } from '../../../domain/models/chat-message.js';
import type { CallTokens } from '../../../domain/models/usage.js';
import type { ModelApi } from '../../../domain/model-api.js';

/** A reply as its provider documents it. */
export interface RecordedReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Replies of one API, written after the public documentation of its provider. All say the same. */
export interface ApiFixture {
  readonly api: ModelApi;
  readonly path: string;
  readonly keyHeader: readonly [name: string, value: string];
  /** `The four tracks.`, 120 tokens of prompt, of them 64 cached, 7 of completion. */
  readonly text: RecordedReply;
  /** Tokens of `text` beside those, as the API reports them. */
  readonly textTokens?: Partial<CallTokens>;
  /** What the API says of hidden reasoning in `text`. */
  readonly textReasoning: number | undefined;
  /** `yes` after the thought `hm`, which took 5 of 12 tokens of completion. */
  readonly reasoned: RecordedReply;
  /** The tool `look` is called with `{"at":1}` after the text `Let me see.`. */
  readonly toolCall: RecordedReply;
  readonly cut: RecordedReply;
  /** Cut off in its reasoning. */
  readonly cutInReasoning: RecordedReply;
  /** What `text` tells of who answered, beside the model. */
  readonly servedBy?: ServedBy;
  readonly filtered: RecordedReply;
  readonly empty: RecordedReply;
  /** JSON that is no reply. */
  readonly other: unknown;
  readonly wrongKey: RecordedReply;
  readonly unknownModel: RecordedReply;
  /** Try again in 7 seconds. */
  readonly limited: RecordedReply;
  readonly limits: ModelReply['rateLimit'];
  readonly overloaded: RecordedReply;
  readonly failed: RecordedReply;
  readonly overflow: RecordedReply;
  readonly unpaid: RecordedReply;
  readonly badSetting: RecordedReply;
  /** The body of the request that the suite sends. */
  readonly sent: unknown;
}

/** The arguments of the tool call that is sent back. */
export const sentTool = {
  name: 'look',
  description: 'looks',
  parameters: { type: 'object', properties: { at: { type: 'integer' } } },
};
