/**
 * For its `__stack_trace` query the SDK takes a stack trace of every promise of a workflow and maps each frame to its
 * source. With V8's default of ten frames that is half of the CPU time of a worker's workflows. Three frames are enough to
 * find the place of a failure.
 */
Error.stackTraceLimit = 3;
