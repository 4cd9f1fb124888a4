import type { Method } from './method.js';

/** What a method needs beside a store: a model to ask, a program that queries a graph. */
export interface MethodNeeds {
  readonly model: boolean;
  readonly graph: boolean;
}

export function methodNeeds(method: Method): MethodNeeds {
  switch (method.kind) {
    case 'graph':
      return { model: method.judge !== null, graph: true };
    case 'iterative':
      return { model: true, graph: method.actions.includes('QueryGraph') };
    case 'single-shot':
    case 'two-stage':
      return { model: true, graph: false };
  }
}
