import { anyValueOfJson } from '../../domain/agent/actions/action.js';
import type { ContextSource } from '../../domain/agent/turn-plan.js';
import { methodOf, scopeFilter } from '../../domain/agent/methods.js';
import { paperContext, storeOf } from '../../domain/agent/question-context.js';
import type { Deferral, QuestionRef } from '../../domain/runs/question-ref.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import type { DatasetItem } from '../../domain/scoring/dataset-item.js';
import { deferrable } from '../failures.js';
import type { ClockPort } from '../ports/clock.js';
import type { RunFilesPort } from '../ports/run-files.js';
import type { DatabasesPort, PaperTextsPort } from '../ports/stores.js';
import type { ToolPorts } from '../tools/tool-use.js';
import { allRows } from './question-database.js';
import { observe } from './take-action.js';

interface ReadContextPorts extends ToolPorts {
  readonly paperTexts: PaperTextsPort;
  readonly databases: DatabasesPort;
  readonly runFiles: RunFilesPort;
  readonly clock: ClockPort;
}

/** Reads the context of a question from the store and stores it, and resolves to null. Only some methods need a context before the first turn. */
export function createReadContext(
  ports: ReadContextPorts,
): (question: QuestionRef) => Promise<Deferral | null> {
  const { paperTexts, runFiles, clock } = ports;
  return deferrable(async (ref, { signal }) => {
    if (await runFiles.questionContext(ref.run, ref)) return null;
    const [manifest, item] = await Promise.all([
      runFiles.manifest(ref.run),
      runFiles.item(ref.run, ref.uuid),
    ]);
    const method = methodOf(manifest.config);
    const startedAt = clock.now();
    const [titles, context] = await (method.kind === 'database'
      ? allRows(ports, manifest, item, signal).then(
          (rows) => [new Map<string, string>(), rows] as const,
        )
      : Promise.all([
          paperTexts.titles(papersOf(manifest, item), signal),
          method.kind === 'single-shot' ? contextOf(method.context, manifest, item, signal) : null,
        ]));
    await runFiles.saveQuestionContext(ref.run, ref, {
      titles: Object.fromEntries(titles),
      context,
      startedAt,
      endedAt: clock.now(),
    });
    return null;
  });

  async function contextOf(
    source: ContextSource,
    manifest: RunManifest,
    item: DatasetItem,
    signal: AbortSignal,
  ): Promise<string | null> {
    switch (source.kind) {
      case 'none':
      case 'schema':
        return null;
      case 'titles-and-abstracts':
      case 'full-text': {
        const request = papersOf(manifest, item);
        return paperContext(source, await paperTexts.texts(request, signal));
      }
      case 'search': {
        const limit = anyValueOfJson(source.limit);
        const search = { kind: 'ClassicRetrieve', query: item.question, limit } as const;
        const scope = scopeFilter(methodOf(manifest.config), item);
        // Always JSON, as in the reference system.
        const config = { ...manifest.config, observationFormat: 'json' } as const;
        const store = storeOf(manifest);
        const { content } = await observe(ports, { store, config }, search, scope, signal);
        return content;
      }
    }
  }
}

const papersOf = (
  manifest: RunManifest,
  { anchor_pdf: papers }: DatasetItem,
): Parameters<PaperTextsPort['texts']>[0] => {
  const { name: store, fingerprint } = storeOf(manifest);
  return { store, fingerprint, papers };
};
