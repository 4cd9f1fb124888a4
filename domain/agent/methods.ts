import { filterText } from '../stores/filter-operators.js';
import type {
  AskedItem,
  DatabaseMethod,
  GraphMethod,
  IterativeMethod,
  Method,
  SingleShotMethod,
  TwoStageMethod,
} from './method.js';
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

/** Answers without any paper: the baseline for all other methods. */
const trivialQuestionOnly: SingleShotMethod = {
  kind: 'single-shot',
  summary: 'one call, the question alone, answered from what the model knows',
  role: 'You answer a question about research papers from your own knowledge. No paper is shown to you: give the answer you hold most likely.',
  context: { kind: 'none' },
};

const trivialTitleWithAbstract: SingleShotMethod = {
  kind: 'single-shot',
  summary: 'one call, with titles and abstracts of the papers the question is about',
  role: answerFromContext,
  context: { kind: 'titles-and-abstracts', cutoffTokens: 5000 },
};

const trivialFullTextWithCutoff: SingleShotMethod = {
  kind: 'single-shot',
  summary: 'one call, with the beginning of the papers the question is about',
  role: answerFromContext,
  context: { kind: 'full-text', cutoffTokens: 5000 },
};

const classicRag: SingleShotMethod = {
  kind: 'single-shot',
  summary: 'one vector search for the question, one call to answer from it',
  role: answerFromContext,
  context: { kind: 'search', limit: 4 },
};

const twoStageNeuRag: TwoStageMethod = {
  kind: 'two-stage',
  summary: 'one call to choose a vector search, one to answer from it',
  role: 'You retrieve evidence for a question about research papers. Cells of a database about the papers were embedded into a Milvus vectorstore, which you search by similarity.',
  retrieval: { kind: 'action', actions: ['RetrieveFromVectorstore'] },
  schemas: ['described-vectorstore'],
  answerRole: answerFromContext,
};

const twoStageSymRag: TwoStageMethod = {
  kind: 'two-stage',
  summary: 'one call to write SQL, one to answer from its rows',
  role: 'You retrieve evidence for a question about research papers. Everything known about the papers was read from their PDFs into a DuckDB database, which you query with SQL.',
  retrieval: { kind: 'sql' },
  schemas: ['database'],
  answerRole: answerFromContext,
};

const twoStageHybridRag: TwoStageMethod = {
  kind: 'two-stage',
  summary: 'one call to choose SQL or a vector search, one to answer from it',
  role: 'You retrieve evidence for a question about research papers. Everything known about the papers was read from their PDFs into a DuckDB database, which you query with SQL, and selected cells of it were embedded into a Milvus vectorstore, which you search by similarity.',
  retrieval: { kind: 'action', actions: ['RetrieveFromDatabase', 'RetrieveFromVectorstore'] },
  schemas: ['database', 'vectorstore'],
  answerRole: answerFromContext,
};

const twoStageGraphRag: GraphMethod = {
  kind: 'graph',
  summary: 'one query of a graph index by a program outside, whose answer stands',
  papers: 'titles',
  judge: null,
};

const neusymRag: IterativeMethod = {
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
};

const iterativeClassicRag: IterativeMethod = {
  kind: 'iterative',
  summary: 'vector search over the passages of the papers in question, one search a turn',
  role: 'You answer questions about research papers. The papers were cut into passages, which you search by their meaning.',
  actions: ['ClassicRetrieve', 'GenerateAnswer'],
  schemas: [],
  hints: [...classicHints, ...generalHints],
  scope: 'anchors',
};

const iterativeNeuRag: IterativeMethod = {
  kind: 'iterative',
  summary: 'vector search over all collections and embedded cells, one action a turn',
  role: 'You answer questions about research papers. Cells of a database about the papers were embedded into a Milvus vectorstore, which you search by similarity.',
  actions: ['RetrieveFromVectorstore', 'CalculateExpr', 'ViewImage', 'GenerateAnswer'],
  schemas: ['described-vectorstore'],
  hints: [...vectorstoreHints, ...generalHints],
  scope: 'store',
};

const iterativeSymRag: IterativeMethod = {
  kind: 'iterative',
  summary: 'SQL over the database of the papers, one action a turn',
  role: 'You answer questions about research papers. Everything known about the papers was read from their PDFs into a DuckDB database, which you query with SQL.',
  actions: ['RetrieveFromDatabase', 'CalculateExpr', 'ViewImage', 'GenerateAnswer'],
  schemas: ['database'],
  hints: [...databaseHints, ...generalHints],
  scope: 'store',
};

const iterativeGraphRag: GraphMethod = {
  kind: 'graph',
  summary: 'queries of a graph index by a program outside, judged by the model, one a turn',
  papers: 'ids',
  judge: {
    role: 'You judge answers to a question about research papers. They come from a system that has read the papers into a graph and understands one question at a time: where its answer will not do, a better question is your only means.',
  },
};

/** The configuration of the published trajectories: `neusym_rag` with three actions; searches cover the whole store. */
const hybridReact: IterativeMethod = {
  kind: 'iterative',
  summary: 'SQL and search over the passages of all papers, one action a turn',
  role: bothStores,
  actions: ['RetrieveFromDatabase', 'ClassicRetrieve', 'GenerateAnswer'],
  schemas: ['database', 'vectorstore'],
  hints: [...databaseHints, ...combiningHints, ...seedHints, ...generalHints],
  scope: 'store',
};

/** Over the tables of any database, which may be no papers. */
const databaseReact: IterativeMethod = {
  kind: 'iterative',
  summary:
    'SQL, search of text columns and arithmetic over a store of a database, one action a turn',
  role: databaseAndTexts,
  actions: ['RetrieveFromDatabase', 'RetrieveFromVectorstore', 'CalculateExpr', 'GenerateAnswer'],
  schemas: ['database', 'vectorstore'],
  hints: textColumnHints,
  scope: 'store',
  about: 'tables',
};

const noInteraction: DatabaseMethod = {
  kind: 'database',
  mode: 'no-interaction',
  summary: 'a long answer over a database: one call that is shown every row, no SQL',
};

const sequential: DatabaseMethod = {
  kind: 'database',
  mode: 'sequential',
  summary: 'a long answer over a database: one plan, all queries at once, then the answer',
};

const iterative: DatabaseMethod = {
  kind: 'database',
  mode: 'iterative',
  summary: 'a long answer over a database: one need and one query a round, then the answer',
};

/** Its answers are scored by `eval_execution_match`. */
const textToSql: SingleShotMethod = {
  kind: 'single-shot',
  summary: 'one call that is shown the schema of a database and answers with SQL',
  role: 'You translate a question about a database into one SQL query in the dialect of DuckDB. The final answer is the query: its result answers the question. Return the columns that the question asks for, in its order, and no others; only tables and columns of the schema exist.',
  context: { kind: 'schema' },
};

const byName = {
  hybrid_react: hybridReact,
  database_react: databaseReact,
  neusym_rag: neusymRag,
  iterative_sym_rag: iterativeSymRag,
  iterative_neu_rag: iterativeNeuRag,
  iterative_classic_rag: iterativeClassicRag,
  iterative_graph_rag: iterativeGraphRag,
  two_stage_hybrid_rag: twoStageHybridRag,
  two_stage_sym_rag: twoStageSymRag,
  two_stage_neu_rag: twoStageNeuRag,
  two_stage_graph_rag: twoStageGraphRag,
  classic_rag: classicRag,
  trivial_full_text_with_cutoff: trivialFullTextWithCutoff,
  trivial_title_with_abstract: trivialTitleWithAbstract,
  trivial_question_only: trivialQuestionOnly,
  'no-interaction': noInteraction,
  sequential,
  iterative,
  'text-to-sql': textToSql,
} as const;

export type MethodName = keyof typeof byName;

/** Every method by its name on the command line. To add a method, add it above and to `byName`. */
export const methods: Readonly<Record<MethodName, Method>> = byName;

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
 * question, which may be a store of either kind, or nothing to read.
 */
export function methodNeeds(method: Method): {
  readonly model: boolean;
  readonly graph: boolean;
  readonly reads: 'database' | 'papers' | 'stored-database' | 'nothing';
} {
  switch (method.kind) {
    case 'graph':
      return { model: method.judge !== null, graph: true, reads: 'papers' };
    case 'iterative':
      return {
        model: true,
        graph: method.actions.includes('QueryGraph'),
        reads: method.about === 'tables' ? 'stored-database' : 'papers',
      };
    case 'single-shot':
      return { model: true, graph: false, reads: readBy[method.context.kind] };
    case 'two-stage':
      return { model: true, graph: false, reads: 'papers' };
    case 'database':
      return { model: true, graph: false, reads: 'database' };
  }
}
