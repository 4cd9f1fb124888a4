import { hybridReact } from './hybrid-react.js';
import type { Method } from './method.js';
import type { MethodName } from './method-names.js';

export const methods: Readonly<Record<MethodName, Method>> = {
  hybrid_react: hybridReact,
};
