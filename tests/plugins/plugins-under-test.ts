import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { PluginCall } from '../../activities/ports/own-code.js';
import type { OwnOutcome } from '../../domain/agent/plugin.js';
import { loadPlugins, type LoadedPlugin } from '../../plugins/load-plugins.js';
import { createOwnCode, type OwnCode } from '../../plugins/own-code.js';
import { compiledEntry } from '../support/commands/compiled-entry.js';

export interface PluginsUnderTest {
  readonly ownCode: OwnCode;
  /** Writes a file of the user's, and resolves to its path. */
  readonly file: (name: string, text: string) => string;
  /** Writes a plugin and loads it. */
  readonly load: (text: string, name?: string) => Promise<LoadedPlugin>;
  readonly call: (
    loaded: LoadedPlugin,
    call: Pick<PluginCall, 'name' | 'what'> & Partial<PluginCall>,
    signal?: AbortSignal,
  ) => Promise<OwnOutcome>;
  readonly close: () => Promise<void>;
}

/** The user's own code as workers run it, with the thread compiled from source. */
export function pluginsUnderTest(
  settings: { readonly secrets?: readonly string[] } = {},
): PluginsUnderTest {
  const { entry: thread, remove } = compiledEntry('plugins/plugin-thread.ts');
  const home = mkdtempSync(join(tmpdir(), 'turnwise-plugins-'));
  const ownCode = createOwnCode({ home, thread, ...settings });
  const file = (name: string, text: string): string => {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  return {
    ownCode,
    file,
    load: async (text, name = 'mine.ts') => {
      const [loaded] = await loadPlugins([file(name, text)], ownCode);
      if (loaded === undefined) throw new Error('nothing was loaded');
      return loaded;
    },
    call: ({ plugin, code }, call, signal = new AbortController().signal) =>
      ownCode.callPlugin(
        {
          ...{ plugin, code: () => Promise.resolve(code), input: {}, context: {} },
          timeoutMs: 60_000,
          ...call,
        },
        signal,
      ),
    close: async () => {
      await ownCode.close();
      remove();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
