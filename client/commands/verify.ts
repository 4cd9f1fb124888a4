import type { Command } from 'commander';
import { checkReceipt } from '../../domain/runs/receipt.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import { readTextFile } from '../services/read-file.js';
import { sha256 } from '../services/sha256.js';
import { print } from '../services/tell.js';

export function registerVerify(program: Command): void {
  program
    .command('verify')
    .description('whether a receipt of `export` is as it was made, with no run and no service')
    .argument('<file>', 'the receipt')
    .action(verify);
}

function verify(file: string): void {
  const checked = checkReceipt(readTextFile(file, file, 'latin1'), sha256);
  if (checked.kind === 'unreadable')
    throw new UserError(
      `${file} is no receipt of this version: \`turnwise export RUN --out DIR --format receipt\` makes one`,
    );
  if (checked.kind === 'altered') {
    const { line, question } = checked;
    const of = question ? ` (question ${question.uuid}, epoch ${question.epoch})` : '';
    throw new UserError(
      `${file}: line ${line}${of} is not as it was written, or lines are missing: export the receipt again`,
      exitStatus.receiptAltered,
    );
  }
  const { questions, calls, outcome } = checked;
  print(`verified: ${questions} questions, ${calls} calls, outcome ${outcome}`);
}
