import type { Command } from 'commander';
import { exitStatus } from '../../../domain/user-error.js';
import { checkStore } from '../../runs/stores/maintain-store.js';
import { openStore } from '../../runs/stores/store-files.js';
import { loadEnvironment } from '../../services/environment.js';
import { printResult } from '../../services/tell.js';
import { checkText } from '../../views/stores/store-check-text.js';
import { withSession } from '../shared/execute.js';

interface CheckFlags {
  readonly repair?: boolean;
  readonly json?: true;
}

export function registerCheck(store: Command): void {
  store
    .command('check')
    .description('compare the texts, tables and collections of a store, and mend what disagrees')
    .argument('<store>', 'its name')
    .option('--repair', 'read lost PDFs again, build the store anew, remove leftovers')
    .option('--json', 'one JSON document')
    .action(check);
}

async function check(name: string, { repair = false, json }: CheckFlags): Promise<void> {
  const environment = loadEnvironment();
  const { name: store } = await openStore(environment, name);
  const result = await withSession(environment, (session) => checkStore(session, store, repair));
  printResult(json, { store, ...result }, checkText(store, result));
  const { findings } = result.left ?? result.found;
  process.exitCode = findings.length === 0 ? exitStatus.done : exitStatus.storeDisagrees;
}
