/** Enters every run's manifest. Raised whenever a text the model reads changes. */
export const promptVersion = '2';
