import type { GivenOf } from '../../domain/option.js';
import type { runOptions } from '../commands/run.js';

/** The options of `turnwise run`, by their names in camelCase. The build writes them out (`bin/option-types.js`). */
export type RunOptions = GivenOf<typeof runOptions>;
