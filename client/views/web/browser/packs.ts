import type { PageQuestion } from '../../page/page-question.js';

const unpacked = new Map<string, Promise<unknown>>();

/** The content of a data element of the page, unpacked once; null if there is no such element. */
function unpack(id: string): Promise<unknown> {
  const known = unpacked.get(id);
  if (known) return known;
  const text = document.getElementById(id)?.textContent;
  const value = text ? readPacked(text) : Promise.resolve(null);
  unpacked.set(id, value);
  return value;
}

/** @param text - gzip of JSON, in base64 */
function readPacked(text: string): Promise<unknown> {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}

/** Null if the page does not contain it. */
export async function findQuestion(
  run: string,
  uuid: string,
  epoch: number,
): Promise<PageQuestion | null> {
  const packOf = (await unpack('pack-of')) as Readonly<Record<string, number>> | null;
  const pack = packOf?.[`q/${run}/${encodeURIComponent(uuid)}/${epoch}`];
  if (pack === undefined) return null;
  const questions = (await unpack(`pack-${pack}`)) as readonly PageQuestion[];
  return (
    questions.find((each) => each.run === run && each.uuid === uuid && each.epoch === epoch) ?? null
  );
}

export const pictureAt = (place: number): string =>
  document.getElementById(`picture-${place}`)?.textContent ?? '';
