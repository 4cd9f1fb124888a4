import { basename } from 'node:path';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { PaperParsersPort } from '../../../activities/ports/stores.js';
import {
  parserNames,
  parsersOfFiles,
  type Parser,
  type ParserSource,
} from '../../../domain/stores/paper-parsers.js';
import { findLatexSource, fingerprintLatex, readLatexAt } from './latex-files.js';
import { findMineruFiles, fingerprintMineru, readMineruFiles } from './mineru-files.js';
import { readWithDocling, readWithGrobid, readWithMineru, type ReadWithServer } from './servers.js';
import type { ParserServer } from './parser-server.js';

/** The servers of parsers; absent where no address is set. */
export type ParserServers = Readonly<
  Partial<Record<Exclude<Parser, 'latex'>, Omit<ParserServer, 'parser'>>>
>;

const byServer = {
  mineru: readWithMineru,
  grobid: readWithGrobid,
  docling: readWithDocling,
} as const satisfies Readonly<Record<Exclude<Parser, 'latex'>, ReadWithServer>>;

/** Parsers by their servers, and by their files beside PDFs, which are preferred. */
export function createPaperParsers(servers: ParserServers): PaperParsersPort {
  async function sourceOf(parser: Parser, pdf: string): Promise<ParserSource | null> {
    if (parser === 'mineru') {
      const files = await findMineruFiles(pdf);
      if (files !== null) return { parser, files: await fingerprintMineru(files) };
    }
    if (parser === 'latex') {
      const path = await findLatexSource(pdf);
      if (path !== null) return { parser, files: await fingerprintLatex(path) };
    }
    return null;
  }
  return {
    find: async (pdf, wanted) => {
      const sources: ParserSource[] = [];
      for (const parser of wanted ?? parsersOfFiles) {
        const source = await sourceOf(parser, pdf);
        if (source !== null) sources.push(source);
        else if (wanted !== undefined && parser !== 'latex') {
          requireServer(servers, parser);
          sources.push({ parser, files: null });
        }
      }
      return sources;
    },
    read: async ({ parser, files }, pdf, pages, signal, path = pdf) => {
      if (files === null && parser !== 'latex') {
        const server = requireServer(servers, parser);
        const named = { path, name: basename(pdf) };
        return byServer[parser]({ ...server, parser }, named, pages, signal);
      }
      if (parser === 'latex') {
        const path = await findLatexSource(pdf);
        if (path !== null) return readLatexAt(path, pdf);
      } else {
        const mineru = await findMineruFiles(pdf);
        if (mineru !== null) return readMineruFiles(mineru, pdf, pages);
      }
      throw new PortFailure(
        'ParserFailed',
        `${basename(pdf)} is not read: its ${parserNames[parser]} is gone.`,
      );
    },
  };
}

function requireServer(
  servers: ParserServers,
  parser: keyof ParserServers,
): Omit<ParserServer, 'parser'> {
  const server = servers[parser];
  if (server !== undefined) return server;
  throw new PortFailure(
    'ParserMissing',
    `the worker has no address of ${parserNames[parser]}: set TURNWISE_${parser.toUpperCase()}_URL`,
  );
}
