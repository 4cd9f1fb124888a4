import {
  createCountEnrichment,
  createEnrichItem,
  createEnrichItems,
  createFindOpenItems,
  createOpenEnrichment,
} from './enrichment/enrich-paper.js';
import {
  createCountBuildSpent,
  createKeepEdit,
  createKeepItem,
  createListSeeds,
  createOpenItem,
} from './building/keep-item.js';
import { createMakePart } from './building/make-part.js';
import { createIngestionActivities, type IngestionPorts } from './ingestion/ingestion.js';
import { createFindOpenJudges, createJudgeAnswer } from './judging/judge-answer.js';
import {
  createFindOpenJudgements,
  createJudgeCase,
  createJudgeCases,
} from './judging/judge-case.js';
import {
  createFindOpenReviews,
  createReviewPanel,
  createReviewPanels,
  createWriteReview,
} from './judging/review-panel.js';
import { behindBorder } from './border.js';
import type { BuildingFilesPort, ScratchPort } from './ports/building.js';
import type { BatchesPort, EndpointsPort, ModelPort } from './ports/model.js';
import type { OwnCodePort } from './ports/own-code.js';
import type {
  BatchFilesPort,
  JudgingFilesPort,
  QuestionsPort,
  RunFilesPort,
} from './ports/run-files.js';
import type { DatabasesPort, PaperTextsPort, StoresPort } from './ports/stores.js';
import type { GraphPort, PicturesPort, SearchPort, TablesPort } from './ports/tools.js';
import type { WebhookPort } from './ports/webhook.js';
import { createAskModel } from './questions/ask-model.js';
import { createEndQuestion } from './questions/end-question.js';
import { createExecuteAnswer } from './questions/execute-answer.js';
import { createTryScorer } from './questions/own-scorer.js';
import { createReadContext } from './questions/question-context.js';
import { overSameStore } from './questions/same-store.js';
import { createTakeAction } from './questions/take-action.js';
import { createAdvanceBatch, createCollectCalls } from './runs/batches.js';
import { createCloseRun, createCollectResults, createEndUnstarted } from './runs/close-run.js';
import { createFindEnded, createRestartQuestion } from './runs/find-ended.js';
import { createListSamples } from './runs/list-samples.js';
import { createCountSpent, createKeepBills, createOpenRun } from './runs/open-run.js';
import { createProbeModel } from './runs/probe-model.js';
import { createStartQuestions } from './runs/start-questions.js';
import { createKeepTuning, createReopenQuestions } from './runs/steer-run.js';
import { createTellWebhook } from './runs/tell-webhook.js';
import { createLookUpEnds } from './runs/stored-ends.js';

export interface Ports extends IngestionPorts {
  readonly batches: BatchesPort;
  readonly batchFiles: BatchFilesPort;
  readonly ownCode: OwnCodePort;
  readonly buildingFiles: BuildingFilesPort;
  readonly databases: DatabasesPort;
  readonly endpoints: EndpointsPort;
  readonly graph: GraphPort;
  readonly judgingFiles: JudgingFilesPort;
  readonly model: ModelPort;
  readonly paperTexts: PaperTextsPort;
  readonly pictures: PicturesPort;
  readonly questions: QuestionsPort;
  readonly runFiles: RunFilesPort;
  readonly scratch: ScratchPort;
  readonly search: SearchPort;
  readonly stores: StoresPort;
  readonly tables: TablesPort;
  /** Null without TURNWISE_WEBHOOK. */
  readonly webhook: WebhookPort | null;
}

/** Every activity by its registered name. */
// eslint-disable-next-line @typescript-eslint/explicit-module-boundary-types -- the names and types of the activities are listed once
export const createActivities = (ports: Ports) =>
  behindBorder({
    ...createIngestionActivities(ports),
    openRun: createOpenRun(ports),
    listSamples: createListSamples(ports),
    startQuestions: createStartQuestions(ports),
    collectResults: createCollectResults(ports),
    findEnded: createFindEnded(ports),
    restartQuestion: createRestartQuestion(ports),
    endUnstarted: createEndUnstarted(ports),
    lookUpEnds: createLookUpEnds(ports),
    keepTuning: createKeepTuning(ports),
    reopenQuestions: createReopenQuestions(ports),
    countSpent: createCountSpent(ports),
    keepBills: createKeepBills(ports),
    closeRun: createCloseRun(ports),
    collectCalls: createCollectCalls(ports),
    advanceBatch: createAdvanceBatch(ports),
    tellWebhook: createTellWebhook(ports),
    probeModel: createProbeModel(ports),
    askEndpoints: (input: Parameters<EndpointsPort['ask']>[0]) => ports.endpoints.ask(input),
    readContext: overSameStore(ports, createReadContext(ports)),
    askModel: overSameStore(ports, createAskModel(ports)),
    takeAction: overSameStore(ports, createTakeAction(ports)),
    findOpenJudges: createFindOpenJudges(ports),
    judgeAnswer: createJudgeAnswer(ports),
    findOpenJudgements: createFindOpenJudgements(ports),
    judgeCase: createJudgeCase(ports),
    judgeCases: createJudgeCases(ports),
    findOpenReviews: createFindOpenReviews(ports),
    reviewPanel: createReviewPanel(ports),
    reviewPanels: createReviewPanels(ports),
    writeReview: createWriteReview(ports),
    openEnrichment: createOpenEnrichment(ports),
    findOpenItems: createFindOpenItems(ports),
    enrichItem: createEnrichItem(ports),
    enrichItems: createEnrichItems(ports),
    countEnrichment: createCountEnrichment(ports),
    executeAnswer: overSameStore(ports, createExecuteAnswer(ports)),
    tryScorer: createTryScorer(ports),
    endQuestion: createEndQuestion(ports),
    listSeeds: createListSeeds(ports),
    openItem: createOpenItem(ports),
    keepItem: createKeepItem(ports),
    keepEdit: createKeepEdit(ports),
    makePart: createMakePart(ports),
    countBuildSpent: createCountBuildSpent(ports),
  });
export type Activities = Readonly<ReturnType<typeof createActivities>>;
