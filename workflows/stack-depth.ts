/**
 * The SDK takes a stack trace of every promise of a workflow, for its `__stack_trace` query, and translates each frame by
 * the source map: with the usual ten frames that was half of what a worker computed for workflows. Enough are left to find
 * a failure's place.
 */
Error.stackTraceLimit = 3;
