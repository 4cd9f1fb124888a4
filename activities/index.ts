import { whileHeartbeating } from './failures.js';
import {
  createIngestionActivities,
  type IngestionActivities,
  type IngestionPorts,
} from './ingestion/ingestion.js';
import { createJudgeAnswer } from './judging/judge-answer.js';
import { createJudgeCase } from './judging/judge-case.js';
import { createFindOpenJudgements, createFindOpenJudges } from './judging/open-judgements.js';
import type { ModelPort } from './ports/model.js';
import type { JudgingFilesPort, QuestionsPort, RunFilesPort } from './ports/run-files.js';
import type { PaperTextsPort, StoresPort } from './ports/stores.js';
import type { GraphPort, PicturesPort, SearchPort, TablesPort } from './ports/tools.js';
import { createAskModel } from './questions/ask-model.js';
import { createEndQuestion } from './questions/end-question.js';
import { createBriefQuestion } from './questions/question-context.js';
import { overSameStore } from './questions/same-store.js';
import { createTakeAction } from './questions/take-action.js';
import { createCloseRun, createCollectResults, createEndUnstarted } from './runs/close-run.js';
import { createFindEnded } from './runs/find-ended.js';
import { createFindSamples, createListSamples } from './runs/find-samples.js';
import { createCountSpent, createOpenRun } from './runs/open-run.js';
import { createKeepTuning, createReopenQuestions } from './runs/steer-run.js';
import { createLookUpEnds } from './runs/stored-ends.js';

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
