import { join } from 'node:path';
import { obtainPrograms, type ProgramSource } from './built-programs.js';

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
