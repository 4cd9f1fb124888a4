import type { AskedItem, Method } from './method.js';

/**
 * The condition that keeps ClassicRetrieve to the papers a question is about, in Milvus's filter language; empty where
 * the method searches the whole store or the question names no paper (hybrid-agent.md §2.4).
 */
export function scopeFilter(method: Method, { anchor_pdf: anchors }: AskedItem): string {
  const scoped =
    method.kind === 'iterative' ? method.scope === 'anchors' : method.kind === 'single-shot';
  const [first] = anchors;
  if (!scoped || first === undefined) return '';
  return anchors.length === 1
    ? `pdf_id == ${quoted(first)}`
    : `pdf_id in [${anchors.map(quoted).join(', ')}]`;
}

const quoted = (id: string): string => `'${id.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
