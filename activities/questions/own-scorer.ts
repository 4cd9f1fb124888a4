import { pluginWith } from '../../domain/agent/plugin.js';
import { pluginFile } from '../../domain/runs/run-layout.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import { ownVerdict, type AskedScore, type OwnScorer } from '../../domain/scoring/own-scorer.js';
import { unscored, type Verdict } from '../../domain/scoring/verdict.js';
import type { OwnCodePort } from '../ports/own-code.js';
import type { RunFilesPort } from '../ports/run-files.js';

/** Asks a scorer of the user's. One that fails leaves the answer unscored. */
export async function verdictOfOwnScorer(
  {
    runFiles,
    ownCode,
  }: { readonly runFiles: Pick<RunFilesPort, 'text'>; readonly ownCode: OwnCodePort },
  {
    manifest: { run, config },
    scorer,
    asked,
  }: {
    readonly manifest: Pick<RunManifest, 'run' | 'config'>;
    readonly scorer: OwnScorer;
    readonly asked: AskedScore;
  },
  signal: AbortSignal,
): Promise<Verdict> {
  const timeoutMs = config.toolTimeoutMs;
  if (scorer.kind === 'program') {
    const { command } = scorer;
    return ownVerdict(await ownCode.callProgram({ command, input: asked, timeoutMs }, signal));
  }
  const { name } = scorer;
  const plugin = pluginWith(config.plugins, 'scorers', name);
  if (plugin === undefined) return unscored('unknown-evaluator', `no plugin has a scorer ${name}`);
  const called = await ownCode.callPlugin(
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
  return ownVerdict(called);
}
