import type { ActionSpec } from './action-spec.js';
import type { ActionName } from './action.js';
import { calculateExpr } from './specs/calculate-expr.js';
import { classicRetrieve } from './specs/classic-retrieve.js';
import { generateAnswer } from './specs/generate-answer.js';
import { queryGraph } from './specs/query-graph.js';
import { retrieveFromDatabase } from './specs/retrieve-from-database.js';
import { retrieveFromVectorstore } from './specs/retrieve-from-vectorstore.js';
import { viewImage } from './specs/view-image.js';

/** All that prompts, parsing and rendering know about actions. An action is added here and in `actionSchema`. */
export const actionSpecs: Readonly<Record<ActionName, ActionSpec>> = {
  RetrieveFromDatabase: retrieveFromDatabase,
  RetrieveFromVectorstore: retrieveFromVectorstore,
  ClassicRetrieve: classicRetrieve,
  CalculateExpr: calculateExpr,
  ViewImage: viewImage,
  QueryGraph: queryGraph,
  GenerateAnswer: generateAnswer,
};
