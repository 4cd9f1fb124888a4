/** One entry a format; `observation-format.ts` holds what each one is. */
export const observationFormatNames = ['json', 'markdown', 'string', 'html'] as const;
export type ObservationFormatName = (typeof observationFormatNames)[number];
