/** @import { PageQuestion } from '../page-question.js' */

/** @type {Map<string, Promise<any>>} */
const unpacked = new Map();

/**
 * The content of a data element of the page, unpacked once; null if there is no such element.
 *
 * @param {string} id
 * @returns {Promise<any>}
 */
function unpack(id) {
  const known = unpacked.get(id);
  if (known) return known;
  const text = document.getElementById(id)?.textContent;
  const value = text ? readPacked(text) : Promise.resolve(null);
  unpacked.set(id, value);
  return value;
}

/** @param {string} text - gzip of JSON, in base64 */
function readPacked(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}

/**
 * @param {string} run
 * @param {string} uuid
 * @param {number} epoch
 * @returns {Promise<PageQuestion | null>} null if the page does not contain it
 */
export async function findQuestion(run, uuid, epoch) {
  const packOf = await unpack('pack-of');
  const pack = packOf?.[`q/${run}/${encodeURIComponent(uuid)}/${epoch}`];
  if (pack === undefined) return null;
  /** @type {readonly PageQuestion[]} */
  const questions = await unpack(`pack-${pack}`);
  return (
    questions.find((each) => each.run === run && each.uuid === uuid && each.epoch === epoch) ?? null
  );
}

/** @param {number} place */
export const pictureAt = (place) => document.getElementById(`picture-${place}`)?.textContent ?? '';
