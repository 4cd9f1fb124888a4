export { answerQuestionWorkflow } from './answer-question.js';
export { ingestPaperWorkflow } from './ingest-papers.js';
export { ingestPapersWorkflow } from './ingest-papers.js';
export { judgeAnswersWorkflow } from './judge-answers.js';
export { providerAccountWorkflow } from './provider-account.js';
export { reviewAnswersWorkflow } from './review-answers.js';
export { runDatasetWorkflow } from './run-dataset.js';
