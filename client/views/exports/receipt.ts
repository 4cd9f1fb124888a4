import type { StoredTurn } from '../../../domain/agent/turn-record.js';
import { canonicalJson, wellFormedJson } from '../../../domain/formats/json.js';
import {
  callOfJudge,
  callsOfTurn,
  callsWithoutReply,
  foundOf,
  ReceiptLines,
  type ReceiptCall,
  type ReceiptQuestion,
} from '../../../domain/runs/receipt.js';
import { askingFile, askingSchema, manifestFile } from '../../../domain/runs/run-manifest.js';
import type { RunAnswer } from '../../../domain/scoring/answer.js';
import { forUsers, type RunFolder } from '../../runs/run-folder.js';
import { answersIn, type RunFiles } from '../../runs/scoring/run-scores.js';
import { sha256Of } from '../../../storage/sha256.js';

/** The lines of a run's receipt: every attempt at every call, and what the run found out, by digests. */
export async function* receiptOf(folder: RunFolder, files: RunFiles): AsyncGenerator<string, void> {
  const { run, config, versions, dataset, store, databases, ...manifest } = files.manifest;
  const lines = new ReceiptLines(sha256Of);
  yield lines.header({
    ...{ run, turnwise: versions.turnwise, method: config.method },
    models: [config.model, ...(config.judging?.models ?? [])].map(({ name }) => name),
    ...{ startedAt: manifest.startedAt, endedAt: manifest.endedAt },
    // Of the file beside the receipt.
    manifest: sha256Of(wellFormedJson((await folder.read(manifestFile)) ?? '')),
    dataset: dataset.fingerprint,
    ...{ prompts: versions.prompts, judgePrompts: versions.judgePrompts },
    store: store && { name: store.name, fingerprint: store.fingerprint },
    databases: sha256Of(canonicalJson(databases)),
    // Each of them is not recorded.
    probes: manifest.probes,
  });
  for (const answer of answersIn(files)) yield lines.question(await questionOf(folder, answer));
  yield lines.seal();
}

async function questionOf(folder: RunFolder, answer: RunAnswer): Promise<ReceiptQuestion> {
  const { files, run, path } = folder;
  const { uuid, epoch, result } = answer;
  const calls: ReceiptCall[] = [];
  const askedAgain: { readonly asking: number; readonly anew: boolean }[] = [];
  let turns: readonly StoredTurn[] = [];
  const last = await forUsers(path, files.asking(run, { uuid, epoch }));
  for (let asking = 1; asking <= last; asking += 1) {
    const key = { uuid, epoch, asking };
    const again = asking > 1 ? await folder.readJson(askingFile(key, asking), askingSchema) : null;
    if (again !== null) askedAgain.push({ asking, anew: again.anew });
    // Otherwise it goes on with the turns of the one before.
    if (again === null || again.anew) {
      const stored = await folder.turns(key);
      const judged = (await folder.judgeReplies(key)).toSorted((a, b) =>
        `${a.startedAt} ${a.request}` < `${b.startedAt} ${b.request}` ? -1 : 1,
      );
      calls.push(...stored.flatMap(({ reply }) => callsOfTurn(reply, asking)));
      calls.push(...judged.map((reply) => callOfJudge(reply, asking)));
      if (asking <= (result?.asking ?? 1)) turns = stored;
    }
    const end = await forUsers(path, files.end(run, key));
    if (end !== null) calls.push(...callsWithoutReply(end.result, asking));
  }
  return { uuid, epoch, askedAgain, found: foundOf(answer, turns, sha256Of), calls };
}
