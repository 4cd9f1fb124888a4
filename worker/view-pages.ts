import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { viewRequestSchema } from '../domain/stores/inspection/place-lines.js';
import { viewPages } from './adapters/pdfium/view-pages.js';

// Draws pages of a PDF. Standard input is a `ViewRequest`; each line of standard output is a `ViewLine`.

const { path, ...request } = viewRequestSchema.parse(JSON.parse(await text(process.stdin)));
await viewPages(await readFile(path), request, (line) => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
});
