import type { ModelPort, ModelReply, ModelRequest } from '../../../activities/ports/model.js';

/** Replies as it was told, records what it was asked, and throws when asked more than that. */
export class FakeModel implements ModelPort {
  readonly requests: ModelRequest[] = [];
  readonly #replies: (string | Error)[];

  constructor(...replies: (string | Error)[]) {
    this.#replies = replies;
  }

  readonly complete = (request: ModelRequest): Promise<ModelReply> => {
    this.requests.push(request);
    const reply = this.#replies.shift();
    if (reply === undefined) throw new Error('the fake model was asked more often than expected');
    if (reply instanceof Error) return Promise.reject(reply);
    return Promise.resolve({
      content: reply,
      finishReason: 'stop',
      model: 'fake-model',
      tokens: { prompt: 100, completion: 10, cached: 0 },
    });
  };
}
