import { categories, type Category } from '../../scoring/dataset-item.js';
import { subTasks, type SubTask } from '../../scoring/review/panel.js';
import {
  panelFigures,
  type PanelFigures,
  type Side,
} from '../../scoring/review/panel-statistics.js';
import {
  ownModelIn,
  panelWorth,
  type PanelWorth,
  type StudiedPanel,
} from '../../scoring/review/panel-worth.js';
import { mean, type Interval } from '../../statistics/means.js';
import {
  agentFigures,
  byCategory,
  matchOf,
  type AgentFigures,
  type Average,
} from './agent-figures.js';
import {
  isWithoutInteraction,
  validQueries,
  type Agent,
  type AgentAnswers,
  type AnswerRecord,
} from './answer-record.js';
import type { DatasetFigures } from './dataset-figures.js';
import { pairedModes, type PairedModes } from './paired-modes.js';
import { validQueryBins, type ValidQueryBins } from './valid-query-bins.js';

/** The tables and figures of the paper, and what stands beside them, computed from stored answers. */
export interface DatabaseTables {
  /** Null for answers without their dataset. */
  readonly table1: DatasetFigures | null;
  readonly table2: readonly AgentFigures[];
  /** Each mode against no interaction. */
  readonly table3: readonly PairedModes[];
  /** The other pairs of modes. */
  readonly modes: readonly PairedModes[];
  readonly table4: readonly ReviewedSubTask[];
  /** The rows of Table 4 again. */
  readonly panelWorth: readonly SubTaskWorth[];
  readonly figure3: MatchFigure;
  /** All agents together. */
  readonly figure4: readonly ValidQueryBins[];
  readonly figure4ByAgent: readonly (Agent & { readonly bins: readonly ValidQueryBins[] })[];
  readonly figure5: readonly OutcomeRate[];
}

/** The panels about one sub-task of one agent's answers: a cell of the paper's Table 4. */
export interface ReviewedSubTask extends Agent, PanelFigures {
  readonly subTask: SubTask;
  /** Panels about answers whose agent never questioned the database. */
  readonly withoutInteraction: number;
}

export interface SubTaskWorth extends Agent, PanelWorth {
  readonly subTask: SubTask;
  /** Whether the agent's own model is in the panel. */
  readonly ownModel: Readonly<Record<Side, boolean>>;
}

/** A bar of the paper's Fig. 5. */
export interface OutcomeRate extends Agent {
  readonly subTask: SubTask;
  readonly panels: number;
  readonly rate: number | null;
  readonly interval: Interval | null;
}

/** The paper's Fig. 3: match by agent, with the match of an agent that guesses. */
export interface MatchFigure {
  readonly agents: readonly AgentMatch[];
  readonly baseline: (AgentMatch & { readonly validQueries: number }) | null;
}

type AgentMatch = Agent & Readonly<Record<Category, Average>>;

export interface TableOptions {
  readonly dataset?: DatasetFigures | null;
  /** The run that guesses. Without it, the agent with the fewest valid queries, if they are fewer than 0.05 a question. */
  readonly baseline?: string | undefined;
}

/** @param agents - one for each row */
export function databaseTables(
  agents: readonly AgentAnswers[],
  { dataset = null, baseline }: TableOptions = {},
): DatabaseTables {
  const pairs = pairedModes(agents);
  const isTable3 = (pair: PairedModes): boolean => pair.baseline.method === 'no-interaction';
  const reviewed = agents.flatMap(reviewedSubTasks);
  const table4 = reviewed.map(({ row, panels, answers }) => ({
    ...row,
    ...panelFigures(panels),
    withoutInteraction: answers.filter(isWithoutInteraction).length,
  }));
  const bins = (answers: readonly AnswerRecord[]): readonly ValidQueryBins[] =>
    categories.map((category) => validQueryBins(category, answers));
  return {
    table1: dataset,
    table2: agents.map(agentFigures),
    table3: pairs.filter(isTable3),
    modes: pairs.filter((pair) => !isTable3(pair)),
    table4,
    panelWorth: reviewed.map(({ row, panels }) => ({
      ...row,
      ...panelWorth(panels),
      ownModel: ownModelIn(panels, row.model),
    })),
    figure3: { agents: agents.map(agentMatch), baseline: guessBaseline(agents, baseline) },
    figure4: bins(agents.flatMap(({ answers }) => answers)),
    figure4ByAgent: agents
      .filter(({ agent }) => agent.method !== 'no-interaction')
      .map(({ agent, answers }) => ({ ...agent, bins: bins(answers) })),
    figure5: table4.map(({ run, model, method, subTask, ...figures }) => ({
      ...{ run, model, method, subTask },
      panels: figures.reviewed,
      rate: figures.outcomeRate,
      interval: figures.outcomeInterval,
    })),
  };
}

/** The sub-tasks that have panels. */
function reviewedSubTasks({ agent, answers }: AgentAnswers): readonly {
  readonly row: Agent & { readonly subTask: SubTask };
  readonly panels: readonly StudiedPanel[];
  readonly answers: readonly AnswerRecord[];
}[] {
  return subTasks.flatMap((subTask) => {
    const own = answers.filter(({ panels }) => panels[subTask] !== undefined);
    const panels = own.flatMap(({ uuid, panels: { [subTask]: panel } }) =>
      panel === undefined ? [] : [{ uuid, ...panel }],
    );
    return own.length === 0 ? [] : [{ row: { ...agent, subTask }, panels, answers: own }];
  });
}

const agentMatch = ({ agent, answers }: AgentAnswers): AgentMatch => ({
  ...agent,
  ...byCategory((category) =>
    matchOf(
      category,
      answers.filter((answer) => answer.category === category),
    ),
  ),
});

/** An agent with fewer valid queries a question hardly touched its database. */
const guessesBelow = 0.05;

/** An agent without interaction is no candidate, because it sees all rows. Null if no agent guesses. */
function guessBaseline(
  agents: readonly AgentAnswers[],
  chosen: string | undefined,
): MatchFigure['baseline'] {
  const candidates = agents.flatMap((each) => {
    const answered = each.answers.filter(({ outcome }) => outcome === 'answered');
    if (answered.length === 0) return [];
    return [{ each, queries: mean(answered.map(validQueries)) }];
  });
  const found =
    chosen === undefined
      ? candidates
          .filter(
            ({ each, queries }) => each.agent.method !== 'no-interaction' && queries < guessesBelow,
          )
          .sort((a, b) => a.queries - b.queries)[0]
      : candidates.find(({ each }) => each.agent.run === chosen);
  return found ? { ...agentMatch(found.each), validQueries: found.queries } : null;
}
