import type { ModelPort } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { FakeModel } from './fake-model.js';

/** Files that are away from the moment at which the model has replied, until `end` is called. */
export class OutageAfterReply {
  #isAway = false;
  readonly #model: FakeModel;

  constructor(reply: string) {
    this.#model = new FakeModel(reply);
  }

  get model(): ModelPort {
    return {
      complete: async (request) => {
        const reply = await this.#model.complete(request);
        this.#isAway = true;
        return reply;
      },
    };
  }

  get calls(): number {
    return this.#model.requests.length;
  }

  /** The port, all of whose functions reject during the outage. */
  over<Port extends object>(port: Port): Port {
    return new Proxy(port, {
      get: (target, name, receiver): unknown => {
        const member: unknown = Reflect.get(target, name, receiver);
        if (typeof member !== 'function' || !this.#isAway) return member;
        return () => Promise.reject(new PortFailure('RunFilesUnavailable', 'away'));
      },
    });
  }

  end(): void {
    this.#isAway = false;
  }
}

/** What the failure of an attempt tells the next one. */
export async function leftBy(attempt: Promise<unknown>): Promise<unknown> {
  const error: unknown = await attempt.then(
    () => {
      throw new Error('the attempt succeeded');
    },
    (thrown: unknown) => thrown,
  );
  const { details = [] } = error as { readonly details?: readonly unknown[] };
  return details[0];
}
