import { noAgent } from './no-agent.js';
import type {
  FilterTrial,
  GraphAnswer,
  PictureOutcome,
  SearchOutcome,
  SqlOutcome,
} from '../../../activities/ports/tools.js';
import type { OwnCodePort } from '../../../activities/ports/own-code.js';
import type { OwnOutcome } from '../../../domain/agent/plugin.js';
import type { ToolPorts } from '../../../activities/tools/tool-use.js';

export interface FakeTools extends ToolPorts {
  readonly ownCode: OwnCodePort;
  /** What was asked of which tool, in order. */
  readonly asked: readonly { readonly tool: string; readonly request: unknown }[];
}

export interface ToolAnswers {
  readonly query?: readonly SqlOutcome[];
  readonly search?: readonly SearchOutcome[];
  readonly tryFilter?: readonly FilterTrial[];
  readonly texts?: readonly ReadonlyMap<string, string>[];
  readonly ofPage?: readonly PictureOutcome[];
  /** Errors are thrown. */
  /** What the user's own code gives. */
  readonly own?: readonly OwnOutcome[];
  readonly graph?: readonly (GraphAnswer | Error)[];
}

/** Tools that answer what they are given, once each, and fail when asked for more. */
export function fakeTools(answers: ToolAnswers): FakeTools {
  const asked: { readonly tool: string; readonly request: unknown }[] = [];
  const answering =
    <T>(tool: string, given: readonly (T | Error)[] = []) =>
    (request: unknown): Promise<T> => {
      const turn = asked.filter((call) => call.tool === tool).length;
      asked.push({ tool, request });
      const answer = given[turn];
      if (answer instanceof Error) return Promise.reject(answer);
      return answer === undefined
        ? Promise.reject(new Error(`nobody expected call ${turn + 1} of ${tool}`))
        : Promise.resolve(answer);
    };
  return {
    asked,
    tables: {
      query: answering('query', answers.query),
      queries: answering('queries'),
      texts: answering('texts', answers.texts),
    },
    search: {
      search: answering('search', answers.search),
      tryFilter: answering('tryFilter', answers.tryFilter),
    },
    ownCode: {
      callPlugin: answering('callPlugin', answers.own),
      callProgram: answering('callProgram', answers.own),
      ...noAgent,
    },
    pictures: { ofPage: answering('ofPage', answers.ofPage) },
    graph: { query: answering('graph', answers.graph) },
  };
}
