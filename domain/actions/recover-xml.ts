const cdataStart = '<![CDATA[';

/**
 * What is left of an XML text when the reference's parser has recovered from its errors: nothing from a `<` on that
 * begins no tag, and no `&` that begins no entity (hybrid-agent.md §3.4).
 */
export function recoverXml(xml: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < xml.length;) {
    const start = xml.indexOf(cdataStart, at);
    const plain = withoutStrayEntities(start === -1 ? xml.slice(at) : xml.slice(at, start));
    const stray = /<(?![\p{L}_:/!?])/u.exec(plain);
    if (stray) return [...pieces, plain.slice(0, stray.index)].join('');
    pieces.push(plain);
    if (start === -1) break;
    const end = xml.indexOf(']]>', start);
    pieces.push(end === -1 ? xml.slice(start) : xml.slice(start, end + 3));
    at = end === -1 ? xml.length : end + 3;
  }
  return pieces.join('');
}

const withoutStrayEntities = (text: string): string =>
  text.replace(/&(?!(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)(?:[\w.:-]{1,99};?)?/g, '');
