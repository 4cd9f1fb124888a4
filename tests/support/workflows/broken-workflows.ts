/** Under the names of workflows that exist, with an error that JavaScript throws. */
const broken = (): Promise<void> => {
  (globalThis as unknown as { atob: (text: string) => string }).atob('x');
  return Promise.resolve();
};

export const datasetItemWorkflow = async (): Promise<void> => broken();
export const answerQuestionWorkflow = async (): Promise<void> => broken();
