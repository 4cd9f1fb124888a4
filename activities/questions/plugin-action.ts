import type { PluginAction } from '../../domain/agent/actions/action.js';
import { pluginWith, type PluginActionSpec } from '../../domain/agent/plugin.js';
import { argumentsOf, pluginObservation } from '../../domain/agent/plugin-action.js';
import { methodOf } from '../../domain/agent/methods.js';
import type { ObservationRecord } from '../../domain/agent/turn-record.js';
import type { TurnRef } from '../../domain/runs/question-ref.js';
import { pluginFile, type RunManifest } from '../../domain/runs/run-manifest.js';
import type { DatasetItem } from '../../domain/scoring/dataset-item.js';
import type { OwnCodePort } from '../ports/own-code.js';
import { PortFailure } from '../ports/port-failure.js';
import type { RunFilesPort } from '../ports/run-files.js';
import { createStopwatch } from '../tools/tool-use.js';

interface PluginTurn {
  readonly manifest: RunManifest;
  readonly item: DatasetItem;
  readonly ref: TurnRef;
  readonly action: PluginAction;
}

/** Carries out an action of a plugin. What its function throws is the observation: the model can ask otherwise. */
export async function takePluginAction(
  {
    runFiles,
    ownCode,
  }: { readonly runFiles: RunFilesPort; readonly ownCode: Pick<OwnCodePort, 'callPlugin'> },
  { manifest, item, ref, action }: PluginTurn,
  signal: AbortSignal,
): Promise<Pick<ObservationRecord, 'content' | 'facts'>> {
  const { config, run } = manifest;
  const spec = specOf(manifest, action.name);
  const plugin = pluginWith(config.plugins, 'actions', action.name);
  if (plugin === undefined || spec === undefined) {
    throw new PortFailure('InvalidRun', `run ${run} has no plugin with an action ${action.name}`);
  }
  const given = argumentsOf(action, spec);
  if (given.kind === 'refused') {
    const { content, outcome } = given.observed;
    return { content, facts: { tool: 'plugin', outcome, ms: null } };
  }
  const { timed, ms } = createStopwatch();
  const { uuid, epoch, turn } = ref;
  const called = await timed(
    ownCode.callPlugin(
      {
        plugin,
        code: () => runFiles.text(run, pluginFile(plugin.sha256)),
        what: 'action',
        name: action.name,
        input: given.values,
        context: { run, uuid, epoch, turn, item, store: manifest.store?.name ?? null },
        timeoutMs: config.toolTimeoutMs,
      },
      signal,
    ),
  );
  const { content, outcome } = pluginObservation(called);
  return { content, facts: { tool: 'plugin', outcome, ms: ms() } };
}

/** As the method of the run has it. */
function specOf({ config }: RunManifest, name: string): PluginActionSpec | undefined {
  const method = methodOf(config);
  const actions = method.kind === 'iterative' ? method.actions : [];
  // The specifications of plugins come from `pluginActionSchema`.
  return actions.find(
    (each): each is PluginActionSpec => typeof each !== 'string' && each.name === name,
  );
}
