import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withCacheLock } from '../../worker/embedded/lock.js';
import { cacheFolder, timedStep, type SetupContext } from '../../worker/embedded/setup-context.js';
import { goInstall, type GoPrograms } from '../../worker/embedded/temporal-cli.js';

/** Programs that tests build from source, where Temporal's command line is kept too. */
interface ProgramSource extends GoPrograms {
  /** As it is called in messages. */
  readonly what: string;
  /** The name of their folder in the cache. */
  readonly folder: string;
  /** The names that Go gives them. */
  readonly programs: readonly string[];
  readonly expectation: string;
  /** @defaultValue nothing */
  readonly remedy?: string;
}

/** The folder of the programs, which are built at their first use if `npm test` has not built them before all tests. */
export async function obtainPrograms(
  source: ProgramSource,
  how: Partial<SetupContext> = {},
): Promise<string> {
  const context: SetupContext = {
    cacheFolder: cacheFolder(process.env['TURNWISE_CACHE']),
    onStep: (text) => process.stderr.write(`${text}\n`),
    signal: AbortSignal.timeout(1_800_000),
    ...how,
  };
  const folder = join(context.cacheFolder, source.folder);
  if (await exists(folder)) return folder;
  return withCacheLock(context, source.what, async () => {
    if (await exists(folder)) return folder;
    const draft = await mkdtemp(join(context.cacheFolder, `${source.folder}-draft-`));
    try {
      const step = {
        what: `${source.what} for tests: building from source with Go`,
        expectation: source.expectation,
      };
      const reason = await timedStep(context, step, () => goInstall(source, draft, context));
      if (reason !== undefined) {
        throw new Error(`The ${source.what} for tests: ${reason}.${source.remedy ?? ''}`);
      }
      const whole = join(draft, 'whole');
      await mkdir(whole);
      for (const program of source.programs) {
        await rename(join(draft, program), join(whole, program));
      }
      await rename(whole, folder);
      return folder;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  });
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const version = 'v0.316.0';

/** Prometheus without its discovery of clouds, which is most of it. */
export const prometheusSource: ProgramSource = {
  what: 'Prometheus',
  folder: `prometheus-${version}`,
  modules: [`github.com/prometheus/prometheus@${version}`],
  packages: ['github.com/prometheus/prometheus/cmd/prometheus'],
  programs: ['prometheus'],
  tags: ['remove_all_sd'],
  expectation: 'about 4 minutes, once',
};

/** The path of the program. */
export const obtainPrometheus = async (): Promise<string> =>
  join(await obtainPrograms(prometheusSource), 'prometheus');
