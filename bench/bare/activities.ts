/** Nothing at all: what is measured is the way there and back. */
export const emptyActivity = (): Promise<void> => Promise.resolve();
