/** One entry a method; `methods.ts` holds what each one is. */
export const methodNames = ['hybrid_react'] as const;
export type MethodName = (typeof methodNames)[number];
