#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/programs/turnwise.js', import.meta.url);

if (existsSync(main)) {
  await import(main);
} else {
  console.error(
    'turnwise is not built yet: run `npm run build`, or `npm start`, which does it all.',
  );
  process.exitCode = 2;
}
