/** What the workflow engine knows of a question. */
export interface QuestionsPort {
  /** Whether a workflow of this id is open. Throws PortFailure where the engine cannot be asked. */
  readonly isOpen: (workflowId: string) => Promise<boolean>;
}
