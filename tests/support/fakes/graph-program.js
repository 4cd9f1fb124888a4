// Stands for a program that queries a graph: `node graph-program.js MODE [FILE]`. Says what it was asked, or misbehaves.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

const [mode, file] = process.argv.slice(2);

async function echo() {
  const { query, store } = JSON.parse(await text(process.stdin));
  const said = { answer: `asked ${store}: ${query}`, costUsd: 0.25, model: 'a-model' };
  process.stdout.write(JSON.stringify(said));
}

/** Answers with what stands behind `Answer with:` in the query, in a fence, or fails with what stands behind `Fail with:`. */
async function obey() {
  const { query } = JSON.parse(await text(process.stdin));
  const [, order, words] = /(Answer|Fail) with: (.*)/.exec(query) ?? [];
  if (order === 'Fail') complain(`${words}\n`, 1);
  else process.stdout.write(JSON.stringify({ answer: `So:\n\`\`\`txt\n${words}\n\`\`\`` }));
}

function flood() {
  process.stdout.write('x'.repeat(100_000), flood);
}

function leaveChild() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    stdio: 'inherit',
  });
  writeFileSync(file, `${child.pid}\n`);
  process.stdout.write('{"answer": "left one"}', () => process.exit());
}

function complain(words, status) {
  process.stderr.write(words, () => process.exit(status));
}

const modes = {
  echo,
  obey,
  flood,
  'leave-child': leaveChild,
  fail: () => complain(`\nno index for the papers\nat line 3\n`, 1),
  'tell-secret': () => complain(`bad key ${process.env.GRAPH_API_KEY}\n`, 1),
  traceback: () =>
    complain('Traceback (most recent call last):\n  File "q.py"\nValueError: no index\n', 1),
  'try-again': () => complain('rate limited\n', 75),
  die: () => process.kill(process.pid, 'SIGKILL'),
  rubbish: () => process.stdout.write('Loading index…\n{"answer": "late"}'),
  'no-answer': () => process.stdout.write('{"response": "x"}'),
  'bad-cost': () => process.stdout.write('{"answer": "x", "costUsd": -1}'),
  deaf: () => process.stdout.write('{"answer": "not listening"}', () => process.exit()),
};

await modes[mode]();
