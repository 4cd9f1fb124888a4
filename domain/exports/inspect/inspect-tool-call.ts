import type { ActionName } from '../../actions/action.js';
import type { InspectObject } from './inspect-object.js';

const sqlTool: ActionName = 'RetrieveFromDatabase';

export const inspectToolCall = (id: string, name: string, args: InspectObject): InspectObject => ({
  id,
  function: name,
  arguments: args,
  type: 'function',
  view: viewOf(name, args),
});

/** How Inspect shows a call; undefined where its own way will do. */
function viewOf(name: string, { sql }: InspectObject): InspectObject | undefined {
  if (name !== sqlTool || typeof sql !== 'string') return undefined;
  // Longer than any fence within.
  const longest = Math.max(2, ...[...sql.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return { title: name, format: 'markdown', content: `${fence}sql\n${sql}\n${fence}` };
}
