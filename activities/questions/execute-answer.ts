import { answerOf } from '../../domain/runs/question-end.js';
import type { QuestionRef } from '../../domain/runs/question-ref.js';
import { statementsOf } from '../../domain/scoring/execution-match/execution-options.js';
import { reportingFailures, whileHeartbeating } from '../failures.js';
import type { RunFilesPort } from '../ports/run-files.js';
import type { TablesPort } from '../ports/tools.js';
import { executeStatements } from '../tools/execute-statements.js';
import { requiredDatabase } from './question-database.js';
import { storedTurns } from './stored-turns.js';

export interface ExecuteAnswerPorts {
  readonly runFiles: RunFilesPort;
  readonly tables: TablesPort;
}

/** Executes the SQL of a question's answer and its gold SQL once, and stores both results for scoring. */
export function createExecuteAnswer({
  runFiles,
  tables,
}: ExecuteAnswerPorts): (ref: QuestionRef) => Promise<void> {
  return async function executeAnswer(ref) {
    return reportingFailures(async () => {
      if (await runFiles.execution(ref.run, ref)) return;
      const [manifest, item, { turns }] = await Promise.all([
        runFiles.manifest(ref.run),
        runFiles.item(ref.run, ref.uuid),
        storedTurns(runFiles, ref),
      ]);
      const answer = answerOf({ kind: 'answered' }, turns);
      const statements = answer === null ? null : statementsOf(item.evaluator, answer);
      if (statements === null) return;
      const database = requiredDatabase(manifest, item);
      const execution = await whileHeartbeating((signal) =>
        executeStatements(tables, database, statements, manifest.config.toolTimeoutMs, signal),
      );
      await runFiles.saveExecution(ref.run, ref, execution);
    });
  };
}
