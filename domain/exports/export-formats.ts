/** What an export can hold beside the run's own files. */
export const exportFormats = ['csv', 'parquet', 'inspect', 'otel'] as const;
export type ExportFormat = (typeof exportFormats)[number];
