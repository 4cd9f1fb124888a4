export { answerQuestionWorkflow } from './answer-question.js';
export { buildDatasetWorkflow } from './building/build-dataset.js';
export { datasetItemWorkflow } from './building/dataset-item.js';
export { checkStoreWorkflow, dropStoreWorkflow, freeStoreWorkflow } from './stores/check-store.js';
export { importDatabaseWorkflow } from './stores/import-database.js';
export { importPapersWorkflow } from './stores/import-papers.js';
export { ingestPaperWorkflow, ingestPapersWorkflow } from './stores/ingest-papers.js';
export {
  enrichPapersWorkflow,
  judgeAnswersWorkflow,
  reviewAnswersWorkflow,
} from './jobs/call-jobs.js';
export { askEndpointsWorkflow, probeModelsWorkflow } from './jobs/probe-models.js';
export { providerAccountWorkflow } from './provider-account.js';
export { runDatasetWorkflow } from './run-dataset.js';
