import { expect, it } from 'vitest';
import { requireGraphProgram } from '../../../../client/commands/shared/launch-run.js';
import { UserError } from '../../../../domain/user-error.js';
import { methodNames } from '../../../../domain/agent/methods.js';
import { environmentSchema } from '../../../../domain/settings.js';

const environment = environmentSchema.parse({});

it.each(['two_stage_graph_rag', 'iterative_graph_rag'] as const)(
  '%s is refused without a program, in one sentence that says what to set',
  (method) => {
    expect(() => requireGraphProgram({ method, plugins: [] }, environment)).toThrow(UserError);
    expect(() => requireGraphProgram({ method, plugins: [] }, environment)).toThrow(
      /^\w+ needs a program .*: set TURNWISE_GRAPHRAG_COMMAND, .* \(`turnwise docs methods` says .*\)$/,
    );
    const set = { ...environment, TURNWISE_GRAPHRAG_COMMAND: 'ask-graph' };
    expect(() => requireGraphProgram({ method, plugins: [] }, set)).not.toThrow();
  },
);

it('no other method needs one', () => {
  const others = methodNames.filter((name) => !name.includes('graph'));
  expect(others).toHaveLength(methodNames.length - 2);
  for (const name of others)
    expect(() => requireGraphProgram({ method: name, plugins: [] }, environment)).not.toThrow();
});
