import { answerOf } from '../../domain/runs/question-end.js';
import type { Deferral, QuestionRef } from '../../domain/runs/question-ref.js';
import { statementsOf } from '../../domain/scoring/execution-match/execution-options.js';
import { deferrable } from '../failures.js';
import { askedScore, ownScorerOf } from '../../domain/scoring/own-scorer.js';
import type { OwnCodePort } from '../ports/own-code.js';
import type { RunFilesPort } from '../ports/run-files.js';
import type { TablesPort } from '../ports/tools.js';
import { executeStatements } from '../tools/execute-statements.js';
import { requiredDatabase } from './question-database.js';
import { verdictOfOwnScorer } from './own-scorer.js';
import { storedTurns } from './stored-turns.js';

interface ExecuteAnswerPorts {
  readonly runFiles: RunFilesPort;
  readonly tables: TablesPort;
  readonly ownCode: OwnCodePort;
}

/**
 * Executes once what scoring an answer needs, and stores the results: the SQL of the answer and its gold SQL, or the
 * user's own scorer. Resolves to null then.
 */
export function createExecuteAnswer({
  runFiles,
  tables,
  ownCode,
}: ExecuteAnswerPorts): (ref: QuestionRef) => Promise<Deferral | null> {
  return deferrable(async (ref, { signal }) => {
    if (await runFiles.execution(ref.run, ref)) return null;
    if (await runFiles.ownVerdict(ref.run, ref)) return null;
    const [manifest, item, { turns }] = await Promise.all([
      runFiles.manifest(ref.run),
      runFiles.item(ref.run, ref.uuid),
      storedTurns(runFiles, ref),
    ]);
    const answer = answerOf({ kind: 'answered' }, turns);
    const scorer = ownScorerOf(item.evaluator);
    if (scorer !== null) {
      if (answer === null || item.evaluator === undefined) return null;
      const asked = askedScore(ref, item, item.evaluator, answer);
      const verdict = await verdictOfOwnScorer(
        { runFiles, ownCode },
        { manifest, scorer, asked },
        signal,
      );
      await runFiles.saveOwnVerdict(ref.run, ref, verdict);
      return null;
    }
    const statements = answer === null ? null : statementsOf(item.evaluator, answer);
    if (statements === null) return null;
    const database = requiredDatabase(manifest, item);
    const execution = await executeStatements(
      tables,
      database,
      statements,
      manifest.config.toolTimeoutMs,
      signal,
    );
    await runFiles.saveExecution(ref.run, ref, execution);
    return null;
  });
}
