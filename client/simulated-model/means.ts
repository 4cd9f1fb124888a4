import type { Action } from '../../domain/actions/action.js';
import { anyValueOfJson } from '../../domain/actions/any-value.js';
import type { ModelPlan } from '../../domain/methods/turn-plan.js';

/** How a turn may look things up: each makes an action of a text, and is null where nothing like it is offered. */
export interface Means {
  readonly sql: ((statement: string) => Action) | null;
  readonly search: ((query: string) => Action) | null;
}

/** @param prompt - tells the collections there are, and the papers in question */
export function meansOf(plan: ModelPlan, prompt: string): Means {
  switch (plan.kind) {
    case 'answer':
    case 'judgement':
      return { sql: null, search: null };
    case 'sql':
      return { sql: queryTables, search: null };
    case 'action': {
      const offers = (name: Action['kind']): boolean => plan.actions.includes(name);
      return {
        sql: offers('RetrieveFromDatabase') ? queryTables : null,
        search: offers('ClassicRetrieve')
          ? searchPassages
          : offers('RetrieveFromVectorstore')
            ? searchCollection(prompt)
            : null,
      };
    }
  }
}

const limit = anyValueOfJson(5);

const queryTables = (sql: string): Action => ({ kind: 'RetrieveFromDatabase', sql });

const searchPassages = (query: string): Action => ({ kind: 'ClassicRetrieve', query, limit });

/** Over the passages of the papers in question, in the first collection that the prompt describes. */
function searchCollection(prompt: string): (query: string) => Action {
  const [, collection = ''] = /"collection_name": "([^"]+)"/.exec(prompt) ?? [];
  const [, several, papers] = /^\[Anchor PDF(s?)\]: (['"[].*)$/m.exec(prompt) ?? [];
  const filter = papers === undefined ? '' : `pdf_id ${several === '' ? '==' : 'in'} ${papers}`;
  return (query) => ({
    kind: 'RetrieveFromVectorstore',
    query,
    collection_name: collection,
    table_name: 'chunks',
    column_name: 'text_content',
    filter,
    limit,
  });
}
