import { pluginWith, type OwnOutcome } from '../../domain/agent/plugin.js';
import type { QuestionId, RunId } from '../../domain/ids.js';
import { pluginFile, type RunManifest } from '../../domain/runs/run-manifest.js';
import {
  askedScore,
  failureOfOwnScorer,
  goldText,
  ownName,
  ownScorerOf,
  ownVerdict,
  type AskedScore,
  type OwnScorer,
} from '../../domain/scoring/own-scorer.js';
import { unscored, type Verdict } from '../../domain/scoring/verdict.js';
import { activity } from '../failures.js';
import type { OwnCodePort } from '../ports/own-code.js';
import type { RunFilesPort } from '../ports/run-files.js';

interface Ports {
  readonly runFiles: Pick<RunFilesPort, 'text'>;
  readonly ownCode: OwnCodePort;
}

interface Asking {
  readonly manifest: Pick<RunManifest, 'run' | 'config'>;
  readonly scorer: OwnScorer;
  readonly asked: AskedScore;
}

/** Asks a scorer of the user's. One that fails leaves the answer unscored. */
export async function verdictOfOwnScorer(
  ports: Ports,
  asking: Asking,
  signal: AbortSignal,
): Promise<Verdict> {
  const outcome = await callOwnScorer(ports, asking, signal);
  return outcome === null
    ? unscored('unknown-evaluator', `no plugin has a ${ownName(asking.scorer)}`)
    : ownVerdict(outcome);
}

/** Null where no plugin has the scorer. */
async function callOwnScorer(
  { runFiles, ownCode }: Ports,
  { manifest: { run, config }, scorer, asked }: Asking,
  signal: AbortSignal,
): Promise<OwnOutcome | null> {
  const timeoutMs = config.toolTimeoutMs;
  if (scorer.kind === 'program') {
    const { command } = scorer;
    return ownCode.callProgram({ command, input: asked, timeoutMs }, signal);
  }
  const { name } = scorer;
  const plugin = pluginWith(config.plugins, 'scorers', name);
  if (plugin === undefined) return null;
  return ownCode.callPlugin(
    {
      plugin,
      code: () => runFiles.text(run, pluginFile(plugin.sha256)),
      what: 'scorer',
      name,
      input: asked,
      context: { run },
      timeoutMs,
    },
    signal,
  );
}

interface TriedQuestion {
  readonly run: RunId;
  readonly uuid: QuestionId;
}

/**
 * Asks the user's own scorer of a question about its gold answer, or about an empty one, before anything is paid. Resolves
 * to why it gives no score, null if it gives one or leaves it open.
 */
export const createTryScorer = ({
  runFiles,
  ownCode,
}: {
  readonly runFiles: RunFilesPort;
  readonly ownCode: OwnCodePort;
}): ((question: TriedQuestion) => Promise<string | null>) =>
  activity(async ({ run, uuid }, { signal }) => {
    const [manifest, item] = await Promise.all([runFiles.manifest(run), runFiles.item(run, uuid)]);
    const { evaluator } = item;
    const scorer = ownScorerOf(evaluator);
    if (evaluator === undefined || scorer === null) return null;
    const answer = goldText(item, evaluator);
    const asked = askedScore({ uuid, epoch: 1 }, item, evaluator, answer);
    const outcome = await callOwnScorer({ runFiles, ownCode }, { manifest, scorer, asked }, signal);
    return outcome && failureOfOwnScorer(outcome);
  });
