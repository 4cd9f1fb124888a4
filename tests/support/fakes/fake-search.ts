import type {
  FilterTrial,
  SearchOutcome,
  SearchPort,
  SearchRequest,
} from '../../../activities/ports/tools.js';

/** Finds what it was told to, records what it was asked, and throws when asked more. */
export class FakeSearch implements SearchPort {
  readonly requests: SearchRequest[] = [];
  readonly #outcomes: (SearchOutcome | Error)[];

  constructor(...outcomes: (SearchOutcome | Error)[]) {
    this.#outcomes = outcomes;
  }

  readonly tryFilter = (): Promise<FilterTrial> => Promise.resolve({ kind: 'valid' });

  readonly search = (request: SearchRequest): Promise<SearchOutcome> => {
    this.requests.push(request);
    const outcome = this.#outcomes.shift();
    if (outcome === undefined) throw new Error('the fake search was asked more than expected');
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
  };
}
