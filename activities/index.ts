import { createAskModel } from './ask-model.js';
import { createBriefQuestion } from './brief-question.js';
import { createCloseRun } from './close-run.js';
import { createCollectResults } from './collect-results.js';
import { createCountSpent } from './count-spent.js';
import { createEndUnstarted } from './end-unstarted.js';
import { createFindEnded } from './find-ended.js';
import { createFindSamples } from './find-samples.js';
import { createFindOpenJudgements } from './find-open-judgements.js';
import { createFindOpenJudges } from './find-open-judges.js';
import { createEndQuestion } from './end-question.js';
import { whileHeartbeating } from './heartbeat.js';
import { createJudgeAnswer } from './judge-answer.js';
import { createJudgeCase } from './judge-case.js';
import { createKeepTuning } from './keep-tuning.js';
import { createListSamples } from './list-samples.js';
import { createLookUpEnds } from './look-up-ends.js';
import { createOpenRun } from './open-run.js';
import { overSameStore } from './over-same-store.js';
import {
  createIngestionActivities,
  type IngestionActivities,
  type IngestionPorts,
} from './ingestion.js';
import { createReopenQuestions } from './reopen-questions.js';
import { createTakeAction } from './take-action.js';
import type { GraphPort } from './ports/graph.js';
import type { JudgingFilesPort } from './ports/judging-files.js';
import type { ModelPort } from './ports/model.js';
import type { PaperTextsPort } from './ports/paper-texts.js';
import type { PicturesPort } from './ports/pictures.js';
import type { QuestionsPort } from './ports/questions.js';
import type { RunFilesPort } from './ports/run-files.js';
import type { SearchPort } from './ports/search.js';
import type { StoresPort } from './ports/stores.js';
import type { TablesPort } from './ports/tables.js';

export interface Ports extends IngestionPorts {
  readonly graph: GraphPort;
  readonly judgingFiles: JudgingFilesPort;
  readonly model: ModelPort;
  readonly paperTexts: PaperTextsPort;
  readonly pictures: PicturesPort;
  readonly questions: QuestionsPort;
  readonly runFiles: RunFilesPort;
  readonly search: SearchPort;
  readonly stores: StoresPort;
  readonly tables: TablesPort;
}

export interface Activities extends IngestionActivities {
  readonly openRun: ReturnType<typeof createOpenRun>;
  readonly listSamples: ReturnType<typeof createListSamples>;
  readonly collectResults: ReturnType<typeof createCollectResults>;
  readonly findEnded: ReturnType<typeof createFindEnded>;
  readonly findSamples: ReturnType<typeof createFindSamples>;
  readonly endUnstarted: ReturnType<typeof createEndUnstarted>;
  readonly lookUpEnds: ReturnType<typeof createLookUpEnds>;
  readonly keepTuning: ReturnType<typeof createKeepTuning>;
  readonly reopenQuestions: ReturnType<typeof createReopenQuestions>;
  readonly countSpent: ReturnType<typeof createCountSpent>;
  readonly closeRun: ReturnType<typeof createCloseRun>;
  readonly briefQuestion: ReturnType<typeof createBriefQuestion>;
  readonly askModel: ReturnType<typeof createAskModel>;
  readonly takeAction: ReturnType<typeof createTakeAction>;
  readonly findOpenJudges: ReturnType<typeof createFindOpenJudges>;
  readonly judgeAnswer: ReturnType<typeof createJudgeAnswer>;
  readonly findOpenJudgements: ReturnType<typeof createFindOpenJudgements>;
  readonly judgeCase: ReturnType<typeof createJudgeCase>;
  readonly endQuestion: ReturnType<typeof createEndQuestion>;
}

/** Every activity by its registered name. */
export function createActivities(ports: Ports): Activities {
  return {
    ...createIngestionActivities(ports),
    openRun: heartbeating(createOpenRun(ports)),
    listSamples: heartbeating(createListSamples(ports)),
    collectResults: heartbeating(createCollectResults(ports)),
    findEnded: heartbeating(createFindEnded(ports)),
    findSamples: heartbeating(createFindSamples(ports)),
    endUnstarted: heartbeating(createEndUnstarted(ports)),
    lookUpEnds: heartbeating(createLookUpEnds(ports)),
    keepTuning: heartbeating(createKeepTuning(ports)),
    reopenQuestions: heartbeating(createReopenQuestions(ports)),
    countSpent: heartbeating(createCountSpent(ports)),
    closeRun: heartbeating(createCloseRun(ports)),
    briefQuestion: overSameStore(ports, createBriefQuestion(ports)),
    askModel: overSameStore(ports, createAskModel(ports)),
    takeAction: overSameStore(ports, createTakeAction(ports)),
    findOpenJudges: heartbeating(createFindOpenJudges(ports)),
    judgeAnswer: createJudgeAnswer(ports),
    findOpenJudgements: heartbeating(createFindOpenJudgements(ports)),
    judgeCase: createJudgeCase(ports),
    endQuestion: heartbeating(createEndQuestion(ports)),
  };
}

/** Done in a moment, mostly: but a killed worker's is to be done by another within seconds, not when its time is over. */
const heartbeating =
  <Input, Output>(
    activity: (input: Input) => Promise<Output>,
  ): ((input: Input) => Promise<Output>) =>
  (input) =>
    whileHeartbeating(() => activity(input));
