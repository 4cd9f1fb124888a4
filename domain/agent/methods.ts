import { filterText } from '../stores/vectorstore-schema.js';
import type { AskedItem, IterativeMethod, Method, SingleShotMethod } from './turn-plan.js';
import type { Plugin } from './plugin.js';
import {
  answerFromContext,
  bothStores,
  classicHints,
  combiningHints,
  databaseAndTexts,
  databaseHints,
  generalHints,
  seedHints,
  textColumnHints,
  vectorstoreHints,
} from './prompts/prompt-texts.js';

const byName = {
  /** The configuration of the published trajectories: `neusym_rag` with three actions; searches cover the whole store. */
  hybrid_react: {
    kind: 'iterative',
    summary: 'SQL and search over the passages of all papers, one action a turn',
    role: bothStores,
    actions: ['RetrieveFromDatabase', 'ClassicRetrieve', 'GenerateAnswer'],
    schemas: ['database', 'vectorstore'],
    hints: [...databaseHints, ...combiningHints, ...seedHints, ...generalHints],
    scope: 'store',
  },
  /** Over the tables of any database, which may be no papers. */
  database_react: {
    kind: 'iterative',
    summary:
      'SQL, search of text columns and arithmetic over a store of a database, one action a turn',
    role: databaseAndTexts,
    actions: ['RetrieveFromDatabase', 'RetrieveFromVectorstore', 'CalculateExpr', 'GenerateAnswer'],
    schemas: ['database', 'vectorstore'],
    hints: textColumnHints,
    scope: 'store',
    about: 'tables',
  },
  neusym_rag: {
    kind: 'iterative',
    summary: 'SQL, vector search, arithmetic and page images, one action a turn',
    role: bothStores,
    actions: [
      'RetrieveFromDatabase',
      'RetrieveFromVectorstore',
      'CalculateExpr',
      'ViewImage',
      'GenerateAnswer',
    ],
    schemas: ['database', 'vectorstore'],
    hints: [...databaseHints, ...vectorstoreHints, ...combiningHints, ...generalHints],
    scope: 'store',
  },
  iterative_sym_rag: {
    kind: 'iterative',
    summary: 'SQL over the database of the papers, one action a turn',
    role: 'You answer questions about research papers. Everything known about the papers was read from their PDFs into a DuckDB database, which you query with SQL.',
    actions: ['RetrieveFromDatabase', 'CalculateExpr', 'ViewImage', 'GenerateAnswer'],
    schemas: ['database'],
    hints: [...databaseHints, ...generalHints],
    scope: 'store',
  },
  iterative_neu_rag: {
    kind: 'iterative',
    summary: 'vector search over all collections and embedded cells, one action a turn',
    role: 'You answer questions about research papers. Cells of a database about the papers were embedded into a Milvus vectorstore, which you search by similarity.',
    actions: ['RetrieveFromVectorstore', 'CalculateExpr', 'ViewImage', 'GenerateAnswer'],
    schemas: ['described-vectorstore'],
    hints: [...vectorstoreHints, ...generalHints],
    scope: 'store',
  },
  iterative_classic_rag: {
    kind: 'iterative',
    summary: 'vector search over the passages of the papers in question, one search a turn',
    role: 'You answer questions about research papers. The papers were cut into passages, which you search by their meaning.',
    actions: ['ClassicRetrieve', 'GenerateAnswer'],
    schemas: [],
    hints: [...classicHints, ...generalHints],
    scope: 'anchors',
  },
  iterative_graph_rag: {
    kind: 'graph',
    summary: 'queries of a graph index by a program outside, judged by the model, one a turn',
    papers: 'ids',
    judge: {
      role: 'You judge answers to a question about research papers. They come from a system that has read the papers into a graph and understands one question at a time: where its answer will not do, a better question is your only means.',
    },
  },
  two_stage_hybrid_rag: {
    kind: 'two-stage',
    summary: 'one call to choose SQL or a vector search, one to answer from it',
    role: 'You retrieve evidence for a question about research papers. Everything known about the papers was read from their PDFs into a DuckDB database, which you query with SQL, and selected cells of it were embedded into a Milvus vectorstore, which you search by similarity.',
    retrieval: { kind: 'action', actions: ['RetrieveFromDatabase', 'RetrieveFromVectorstore'] },
    schemas: ['database', 'vectorstore'],
    answerRole: answerFromContext,
  },
  two_stage_sym_rag: {
    kind: 'two-stage',
    summary: 'one call to write SQL, one to answer from its rows',
    role: 'You retrieve evidence for a question about research papers. Everything known about the papers was read from their PDFs into a DuckDB database, which you query with SQL.',
    retrieval: { kind: 'sql' },
    schemas: ['database'],
    answerRole: answerFromContext,
  },
  two_stage_neu_rag: {
    kind: 'two-stage',
    summary: 'one call to choose a vector search, one to answer from it',
    role: 'You retrieve evidence for a question about research papers. Cells of a database about the papers were embedded into a Milvus vectorstore, which you search by similarity.',
    retrieval: { kind: 'action', actions: ['RetrieveFromVectorstore'] },
    schemas: ['described-vectorstore'],
    answerRole: answerFromContext,
  },
  two_stage_graph_rag: {
    kind: 'graph',
    summary: 'one query of a graph index by a program outside, whose answer stands',
    papers: 'titles',
    judge: null,
  },
  classic_rag: {
    kind: 'single-shot',
    summary: 'one vector search for the question, one call to answer from it',
    role: answerFromContext,
    context: { kind: 'search', limit: 4 },
  },
  trivial_full_text_with_cutoff: {
    kind: 'single-shot',
    summary: 'one call, with the beginning of the papers the question is about',
    role: answerFromContext,
    context: { kind: 'full-text', cutoffTokens: 5000 },
  },
  trivial_title_with_abstract: {
    kind: 'single-shot',
    summary: 'one call, with titles and abstracts of the papers the question is about',
    role: answerFromContext,
    context: { kind: 'titles-and-abstracts', cutoffTokens: 5000 },
  },
  /** Answers without any paper: the baseline for all other methods. */
  trivial_question_only: {
    kind: 'single-shot',
    summary: 'one call, the question alone, answered from what the model knows',
    role: 'You answer a question about research papers from your own knowledge. No paper is shown to you: give the answer you hold most likely.',
    context: { kind: 'none' },
  },
  'no-interaction': {
    kind: 'database',
    mode: 'no-interaction',
    summary: 'a long answer over a database: one call that is shown every row, no SQL',
  },
  sequential: {
    kind: 'database',
    mode: 'sequential',
    summary: 'a long answer over a database: one plan, all queries at once, then the answer',
  },
  iterative: {
    kind: 'database',
    mode: 'iterative',
    summary: 'a long answer over a database: one need and one query a round, then the answer',
  },
  /** Its answers are scored by `eval_execution_match`. */
  'text-to-sql': {
    kind: 'single-shot',
    summary: 'one call that is shown the schema of a database and answers with SQL',
    role: 'You translate a question about a database into one SQL query in the dialect that the schema names. The final answer is the query: its result answers the question. Return the columns that the question asks for, in its order, and no others; only tables and columns of the schema exist.',
    context: { kind: 'schema' },
  },
} as const satisfies Readonly<Record<string, Method>>;

export type MethodName = keyof typeof byName;

/** Every method by its name on the command line. To add a method, add it above. */
export const methods: Readonly<Record<MethodName, Method>> = byName;

/** Its agent is a program of the user's. It has no prompts of ours, and so it is in no list of methods. */
export const agentProgramMethod = 'agent-program';
const ofProgram: Method = {
  kind: 'program',
  summary: 'a program of your own, whose calls, queries and searches are turns',
};

/** The method of a run: one of turnwise, or one of its plugins. Throws if there is none of that name. */
export function methodOf({
  method,
  plugins = [],
}: {
  readonly method: string;
  readonly plugins?: readonly Plugin[] | undefined;
}): Method {
  const own = plugins.find((plugin) => Object.hasOwn(plugin.methods, method))?.methods[method];
  if (own !== undefined) return own;
  if (isMethodName(method)) return methods[method];
  if (method === agentProgramMethod) return ofProgram;
  throw new Error(`there is no method ${method}`);
}

export const isMethodName = (name: string): name is MethodName => Object.hasOwn(byName, name);

// The cast is safe: these are the keys of an object literal.
export const methodNames = Object.keys(byName) as [MethodName, ...MethodName[]];

/**
 * The Milvus filter that restricts ClassicRetrieve to the papers of a question. Empty when the method searches the whole
 * store or the question names no paper.
 */
export function scopeFilter(method: Method, { anchor_pdf: anchors }: AskedItem): string {
  const scoped =
    method.kind === 'iterative' ? method.scope === 'anchors' : method.kind === 'single-shot';
  const [first] = anchors;
  if (!scoped || first === undefined) return '';
  return anchors.length === 1
    ? `pdf_id == ${filterText(first)}`
    : `pdf_id in [${anchors.map(filterText).join(', ')}]`;
}

const readBy = {
  none: 'nothing',
  schema: 'database',
  'titles-and-abstracts': 'papers',
  'full-text': 'papers',
  search: 'papers',
} as const satisfies Record<SingleShotMethod['context']['kind'], string>;

/**
 * What a method needs: a model, a graph program, and a store of papers, a store of a database, the database of each
 * question, which may be a store of either kind, any store that is there, or nothing to read.
 */
export function methodNeeds(method: Method): {
  readonly model: boolean;
  readonly graph: boolean;
  readonly reads: 'database' | 'papers' | 'stored-database' | 'any' | 'nothing';
} {
  switch (method.kind) {
    case 'graph':
      return { model: method.judge !== null, graph: true, reads: 'papers' };
    case 'iterative':
      return {
        model: true,
        graph: method.actions.includes('QueryGraph'),
        reads: !readsStore(method)
          ? 'nothing'
          : method.about === 'tables'
            ? 'stored-database'
            : 'papers',
      };
    case 'program':
      return { model: true, graph: false, reads: 'any' };
    case 'single-shot':
      return { model: true, graph: false, reads: readBy[method.context.kind] };
    case 'two-stage':
      return { model: true, graph: false, reads: 'papers' };
    case 'database':
      return { model: true, graph: false, reads: 'database' };
  }
}

/** Whether it shows a schema, or has an action that reads the store. Only a method of a plugin may do neither. */
const readsStore = ({ schemas, actions }: IterativeMethod): boolean =>
  schemas.length > 0 ||
  actions.some(
    (action) =>
      typeof action === 'string' && action !== 'CalculateExpr' && action !== 'GenerateAnswer',
  );
