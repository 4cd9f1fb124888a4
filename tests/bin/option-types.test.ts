import { expect, it } from 'vitest';
import { z } from 'zod';
import { optionTypes } from '../../bin/option-types.js';
import { runOptions } from '../../client/commands/run.js';
import { flag, option, whole } from '../../domain/option.js';

it('writes the types of options out, with their help and defaults', () => {
  const options = {
    run: option('<id>', 'its name', z.string().optional()),
    epochs: option('<n>', 'times', whole(1, 9).default(2)),
    cap: option('<n>', 'at most', z.union([z.literal('none'), z.number().max(1)]).optional()),
    until: option('<time>', 'its end', z.string().transform(Number).optional()),
    judge: option('<name>', 'who', z.array(z.enum(['a', 'b'])).optional()),
    fork: flag('again'),
  };
  expect(optionTypes('Given', options)).toBe(`export interface Given {
  /** its name */
  readonly run?: string | undefined;
  /** times @defaultValue 2 */
  readonly epochs?: number | undefined;
  /** at most */
  readonly cap?: "none" | number | undefined;
  /** its end */
  readonly until?: string | undefined;
  /** who */
  readonly judge?: readonly ("a" | "b")[] | undefined;
  /** again */
  readonly fork?: boolean | undefined;
}
`);
});

it('knows the type of every option of a run', () => {
  const types = optionTypes('RunOptions', runOptions);
  expect(types.match(/^ {2}readonly /gm)).toHaveLength(Object.keys(runOptions).length);
  expect(types).not.toMatch(/\? *: undefined|object|null/);
});
