import { categories, type Category } from '../../scoring/dataset-item.js';
import { subTasks, type SubTask } from '../../scoring/review/panel.js';
import {
  panelFigures,
  type PanelFigures,
  type Side,
  ownModelIn,
  panelWorth,
  type PanelWorth,
  type StudiedPanel,
} from '../../scoring/review/panel-worth.js';
import { mean, type Interval } from '../../statistics/means.js';
import { databaseModes } from '../../agent/database-qa/answer-trace.js';
import { keyText } from '../../ids.js';
import { clusterOf, differenceOf } from '../../scoring/score-estimate.js';
import { correlationOf, type Correlation } from '../../statistics/correlation.js';
import {
  agentFigures,
  byCategory,
  matchOf,
  scaleOfCategory,
  type AgentFigures,
  type Average,
  type DatasetFigures,
} from './agent-figures.js';
import {
  isWithoutInteraction,
  validQueries,
  type Agent,
  type AgentAnswers,
  type AnswerRecord,
  matchScore,
} from './answer-record.js';

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
  /** A row for each third of the databases and each agent, small databases first. Empty for fewer than three databases of known size. */
  readonly bySize: readonly SizeFigures[];
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

/** An agent's answers over databases that have so many rows, all tables together. */
export interface SizeFigures extends AgentFigures {
  readonly rows: { readonly least: number; readonly most: number };
  readonly databases: number;
}

/** A bar of the paper's Fig. 5. */
interface OutcomeRate extends Agent {
  readonly subTask: SubTask;
  readonly panels: number;
  readonly rate: number | null;
  readonly interval: Interval | null;
}

/** The paper's Fig. 3: match by agent, with the match of an agent that guesses. */
interface MatchFigure {
  readonly agents: readonly (AgentMatch & {
    /** The categories in which the interval of the match holds that of the agent that guesses, or lies below it. */
    readonly nearGuess: readonly Category[];
  })[];
  readonly baseline: (AgentMatch & { readonly validQueries: number }) | null;
}

type AgentMatch = Agent & Readonly<Record<Category, Average>>;

interface TableOptions {
  readonly dataset?: DatasetFigures | null;
  /** The run that guesses. Without it, the agent with the fewest valid queries, if they are fewer than 0.05 a question. */
  readonly baseline?: string | undefined;
}

/** @param agents - one for each row */
export function databaseTables(
  given: readonly AgentAnswers[],
  { dataset = null, baseline }: TableOptions = {},
): DatabaseTables {
  const agents = given.map(withItsJudge);
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
    figure3: matchFigure(agents, guessBaseline(agents, baseline)),
    bySize: figuresBySize(agents),
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

/** The same, marked if the agent's own model judges or reviews an answer. */
function withItsJudge({ agent, answers }: AgentAnswers): AgentAnswers {
  const judgesItself = answers.some(({ judges, panels }) => {
    const { reviewers, metaReviewers } = ownModelIn(Object.values(panels), agent.model);
    return judges.includes(agent.model) || reviewers || metaReviewers;
  });
  return { agent: { ...agent, ...(judgesItself && { judgesItself }) }, answers };
}

function figuresBySize(agents: readonly AgentAnswers[]): readonly SizeFigures[] {
  const sizes = new Map(
    agents.flatMap(({ answers }) =>
      answers.flatMap(({ database, size }) =>
        database === undefined || size === null ? [] : [[database, size] as const],
      ),
    ),
  );
  const ordered = [...sizes].toSorted(([, one], [, other]) => one - other);
  if (ordered.length < thirds) return [];
  return Array.from({ length: thirds }, (_, third) => {
    const end = (at: number): number => Math.round((at * ordered.length) / thirds);
    const own = new Map(ordered.slice(end(third), end(third + 1)));
    const rows = { least: Math.min(...own.values()), most: Math.max(...own.values()) };
    return agents.map(({ agent, answers }) => ({
      ...agentFigures({
        agent,
        answers: answers.filter(({ database = '' }) => own.has(database)),
      }),
      ...{ rows, databases: own.size },
    }));
  }).flat();
}

const thirds = 3;

/** The sub-tasks that have panels. */
function reviewedSubTasks({ agent, answers }: AgentAnswers): readonly {
  readonly row: Agent & { readonly subTask: SubTask };
  readonly panels: readonly StudiedPanel[];
  readonly answers: readonly AnswerRecord[];
}[] {
  return subTasks.flatMap((subTask) => {
    const own = answers.filter(({ panels }) => panels[subTask] !== undefined);
    const panels = own.flatMap(({ uuid, database, panels: { [subTask]: panel } }) =>
      panel === undefined ? [] : [{ uuid, database, ...panel }],
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

const matchFigure = (
  agents: readonly AgentAnswers[],
  baseline: MatchFigure['baseline'],
): MatchFigure => ({
  agents: agents.map(agentMatch).map((own) => ({
    ...own,
    nearGuess: categories.filter((category) => {
      const guess = baseline?.[category].mean ?? null;
      const isItself =
        own.run === baseline?.run && own.method === baseline.method && own.model === baseline.model;
      return guess !== null && !isItself && (own[category].interval?.low ?? Infinity) <= guess;
    }),
  })),
  baseline,
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

/** Two modes of one model on the items that both answered. Means are over the items with a score in both, each with the mean of its epochs; null without. */
interface PairedCategory {
  /** Items that both answered. */
  readonly common: number;
  readonly scored: number;
  readonly baselineMatch: number | null;
  readonly match: number | null;
  /** `match` minus `baselineMatch`. */
  readonly difference: number | null;
  /** By clusters. Null for fewer than two. */
  readonly interval: Interval | null;
}

/** A row of the paper's Table 3, in which the baseline has no interaction. */
export type PairedModes = Agent &
  Readonly<Record<Category, PairedCategory>> & { readonly baseline: Agent };

/** Every two agents with the same model, asked for or returned, and different methods, the one with less interaction as the baseline. */
const pairedModes = (agents: readonly AgentAnswers[]): readonly PairedModes[] =>
  agents.flatMap((baseline) =>
    agents
      .filter((other) => isMoreOf(baseline.agent, other.agent))
      .map((other) => pair(baseline, other)),
  );

const isMoreOf = (less: Agent, more: Agent): boolean =>
  (less.model === more.model ||
    (less.configured !== undefined && less.configured === more.configured)) &&
  databaseModes.indexOf(less.method) < databaseModes.indexOf(more.method);

const pair = (baseline: AgentAnswers, other: AgentAnswers): PairedModes => ({
  ...other.agent,
  baseline: baseline.agent,
  ...byCategory((category) => pairedCategory(category, baseline, other)),
});

function pairedCategory(
  category: Category,
  baseline: AgentAnswers,
  other: AgentAnswers,
): PairedCategory {
  const answered = ({ answers }: AgentAnswers): AgentAnswers['answers'] =>
    answers.filter((answer) => answer.category === category && answer.outcome === 'answered');
  const before = new Map(answered(baseline).map((answer) => [keyText(answer), answer]));
  const common = answered(other).flatMap((after) => {
    const answer = before.get(keyText(after));
    return answer === undefined ? [] : [{ before: answer, after }];
  });
  const scored = common.flatMap((both) => {
    const [from, to] = [matchScore(both.before), matchScore(both.after)];
    return from === null || to === null
      ? []
      : [{ uuid: both.after.uuid, cluster: clusterOf(both.after), baseline: from, candidate: to }];
  });
  const difference = differenceOf(scored, scaleOfCategory(category));
  return {
    common: common.length,
    scored: scored.length,
    baselineMatch: difference?.baselineMean ?? null,
    match: difference?.candidateMean ?? null,
    difference: difference?.mean ?? null,
    interval: difference === null || difference.clusters < 2 ? null : difference.interval,
  };
}

/** The quality of answers by their number of valid queries (paper, Fig. 4). */
export interface ValidQueryBins {
  readonly category: Category;
  /** In ascending order; without empty bins. */
  readonly bins: readonly ValidQueryBin[];
  /** Point-biserial for conclusive questions, Spearman's for interpretive ones. Null if nothing varies. */
  readonly correlation: Correlation | null;
}

interface ValidQueryBin {
  /** `0` to `5`, or `6+`. */
  readonly valid: string;
  readonly count: number;
  /** Of the match scores. */
  readonly mean: number | null;
  readonly interval: Interval | null;
}

const openBin = 6;
const binLabels = [...Array.from({ length: openBin }, (_, valid) => String(valid)), `${openBin}+`];

/** Over the answered questions with a score whose agent could question the database. */
export function validQueryBins(category: Category, all: readonly AnswerRecord[]): ValidQueryBins {
  const answers = all.filter(
    (answer) =>
      answer.category === category &&
      answer.method !== 'no-interaction' &&
      answer.outcome === 'answered' &&
      matchScore(answer) !== null,
  );
  const binOf = (answer: AnswerRecord): number => Math.min(openBin, validQueries(answer));
  return {
    category,
    bins: binLabels.flatMap((valid, bin) => {
      const own = answers.filter((answer) => binOf(answer) === bin);
      return own.length === 0 ? [] : [{ valid, count: own.length, ...matchOf(category, own) }];
    }),
    correlation: correlationOf(
      category === 'conclusive' ? 'point-biserial' : 'spearman',
      answers.map((answer) => [validQueries(answer), matchScore(answer) ?? NaN]),
      new Set(answers.map(({ uuid }) => uuid)).size,
    ),
  };
}
