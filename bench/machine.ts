import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from 'node:os';

/** What figures were measured on, as far as it matters to them. */
export interface Machine {
  readonly node: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  /** Processes that wanted a core, averaged over the last minute: others may share the machine. */
  readonly load: number;
}

export const thisMachine = (): Machine => ({
  node: process.version,
  platform: `${platform()} ${arch()}`,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  memoryGib: Math.round(totalmem() / 2 ** 30),
  load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
});
