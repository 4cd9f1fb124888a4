import { problemsOf, ratioTable, type Benchmark, type Findings, type Ratio } from '../benchmark.js';
import { problemsOf as problemsOfRun } from './check-run.js';
import { inKeptFolder } from './kept-folder.js';
import {
  runOnMachines,
  type MachinesResult,
  type MachinesSettings,
} from './machines/machines-run.js';

export const machinesBenchmark: Benchmark = {
  summary:
    '500 questions × 10 turns on machines that share addresses only; machines come and go, and Temporal, Milvus, the objects and the key are away; takes half an hour',
  run: (log, { questions = 500, turns = 10, ...options }) =>
    inKeptFolder(log, async (folder) => {
      const settings: MachinesSettings = {
        seed: 1,
        questions,
        turns,
        inFlight: Math.min(100, Math.ceil(questions / 5)),
        model: { latencyMs: 2000, jitter: 0.5 },
        outages: {
          milvusSeconds: options.milvusDown ?? 600,
          keySeconds: options.keyRefused ?? 300,
          objectsSeconds: options.objectsDown ?? 60,
        },
      };
      return findingsOf(settings, await runOnMachines(settings, folder, log));
    }),
};

function findingsOf(settings: MachinesSettings, result: MachinesResult): Findings {
  const { check, disks, happened, atWork, foreign, restarts, stats, wallMs } = result;
  const atMost = (name: string, value: number, limit = 0): Ratio => {
    return { name, value, limit, bound: 'at most' };
  };
  const ofRun = [
    atMost('questions lost', check.lost),
    atMost('questions that ended twice', check.twice),
    atMost('questions that ended as `infra-error`', check.infraErrors),
    atMost('questions that differ from the undisturbed run', check.differing.length),
    atMost('calls repeated', check.repeated, check.mayBeRepeated),
    atMost('calls paid again', check.paidAgain, check.mayBePaidAgain),
  ];
  const others: readonly Ratio[] = [
    {
      name: 'disturbances',
      value: happened.length,
      limit: result.planned.length,
      bound: 'at least',
    },
    { name: 'machines at work', value: atWork.length, limit: 3, bound: 'at least' },
    atMost('paths of other machines found', foreign.length),
    atMost('times the command failed', restarts),
  ];
  return {
    tables: [ratioTable([...ofRun, ...others])],
    figures: {
      settings,
      seconds: Math.round(wallMs / 1000),
      stats: { ...stats, perQuestion: undefined },
      ...{ check, disks, happened, atWork, foreign, restarts },
    },
    problems: [...problemsOfRun('machines', check), ...problemsOf(others)],
  };
}
