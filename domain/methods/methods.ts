import { classicRag } from './classic-rag.js';
import { hybridReact } from './hybrid-react.js';
import { iterativeClassicRag } from './iterative-classic-rag.js';
import { iterativeGraphRag } from './iterative-graph-rag.js';
import { iterativeNeuRag } from './iterative-neu-rag.js';
import { iterativeSymRag } from './iterative-sym-rag.js';
import type { Method } from './method.js';
import { neusymRag } from './neusym-rag.js';
import { trivialFullTextWithCutoff } from './trivial-full-text-with-cutoff.js';
import { trivialQuestionOnly } from './trivial-question-only.js';
import { trivialTitleWithAbstract } from './trivial-title-with-abstract.js';
import { twoStageGraphRag } from './two-stage-graph-rag.js';
import { twoStageHybridRag } from './two-stage-hybrid-rag.js';
import { twoStageNeuRag } from './two-stage-neu-rag.js';
import { twoStageSymRag } from './two-stage-sym-rag.js';

const byName = {
  hybrid_react: hybridReact,
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
} as const;

export type MethodName = keyof typeof byName;

/** Every method by the name it goes by on the command line. A method is added by a file of its own and a line above. */
export const methods: Readonly<Record<MethodName, Method>> = byName;

export const methodNames = Object.keys(byName) as [MethodName, ...MethodName[]]; // keys of a literal
