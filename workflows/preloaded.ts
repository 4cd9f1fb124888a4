// A worker loads these modules once, for all of its workflows (`preloadModules` of the SDK). Evaluating the schemas of
// domain/ takes 26 ms of CPU, and each workflow would do it again (docs/explanation/decisions/0008). They keep no state, and are frozen
// afterwards: zod completes a schema when it is first used, so workflows cannot parse with a schema of these modules.
// List here what a workflow imports that defines schemas; what has functions alone need not be here.

// Before anything is frozen.
import './stack-depth.js';

import './failure-converter.js';

import '../domain/agent/actions/action.js';
import '../domain/building/build-state.js';
import '../domain/building/item.js';
import '../domain/models/call-attempts.js';
import '../domain/rate-limits/account-state.js';
import '../domain/scoring/judging/judging-job.js';
import '../domain/rate-limits/account-state.js';
import '../domain/runs/workflow-details.js';
import '../domain/runs/run-progress.js';
import '../domain/runs/run-config.js';
import '../domain/scoring/open-calls.js';
import '../domain/stores/ingestion.js';
import '../domain/stores/ingestion.js';
import '../domain/stores/store-check.js';
