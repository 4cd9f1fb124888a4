export interface PdfText {
  readonly text: string;
  /** Points above the lower edge of the page, which is 792 high. */
  readonly y: number;
  readonly x?: number;
  readonly size?: number;
  readonly bold?: boolean;
}

export interface PdfSpec {
  readonly pages: readonly (readonly PdfText[])[];
  readonly title?: string;
  readonly author?: string;
  readonly keywords?: string;
  readonly outline?: readonly {
    readonly title: string;
    /** From 1. */
    readonly page: number;
    readonly y: number;
    readonly children?: PdfSpec['outline'];
  }[];
  /** With a password nobody knows. */
  readonly encrypted?: boolean;
}

/** A small PDF in the standard fonts. Its texts may hold printable ASCII only. */
export function makePdf(spec: PdfSpec): Buffer {
  const objects: string[] = [];
  const reserve = (): number => objects.push('');
  const set = (id: number, content: string): void => {
    objects[id - 1] = content;
  };
  const add = (content: string): number => objects.push(content);

  const catalog = reserve();
  const tree = reserve();
  const fonts = ['Helvetica', 'Helvetica-Bold'].map((name) =>
    add(`<< /Type /Font /Subtype /Type1 /BaseFont /${name} >>`),
  );
  const resources = `<< /Font << /F0 ${fonts[0]} 0 R /F1 ${fonts[1]} 0 R >> >>`;
  const pages = spec.pages.map((texts) => {
    const drawn = texts.map(drawText).join('\n');
    const stream = add(`<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`);
    return add(
      `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 612 792] /Contents ${stream} 0 R /Resources ${resources} >>`,
    );
  });
  set(tree, `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map(ref).join(' ')}] >>`);

  const info = add(
    `<< /Title ${literal(spec.title)} /Author ${literal(spec.author)} /Keywords ${literal(spec.keywords)} >>`,
  );
  const outline = spec.outline && addOutline(spec.outline);
  set(
    catalog,
    `<< /Type /Catalog /Pages ${tree} 0 R${outline === undefined ? '' : ` /Outlines ${outline} 0 R`} >>`,
  );
  const key = 'A'.repeat(64);
  const encrypt = spec.encrypted
    ? add(`<< /Filter /Standard /V 1 /R 2 /P -4 /O <${key}> /U <${key}> >>`)
    : undefined;
  const trailer = [
    `/Size ${objects.length + 1} /Root ${catalog} 0 R /Info ${info} 0 R`,
    encrypt === undefined ? '' : ` /Encrypt ${encrypt} 0 R /ID [<00> <00>]`,
  ].join('');
  return assemble(objects, trailer);

  function addOutline(entries: NonNullable<PdfSpec['outline']>): number {
    const parent = reserve();
    const ids = entries.map(() => reserve());
    for (const [index, { title, page, y, children }] of entries.entries()) {
      const nested = children && addOutline(children);
      const links = [
        index > 0 ? `/Prev ${ids[index - 1]} 0 R` : '',
        index + 1 < ids.length ? `/Next ${ids[index + 1]} 0 R` : '',
        nested === undefined ? '' : objects[nested - 1]?.slice(2, -2),
      ].join(' ');
      set(
        ids[index] ?? 0,
        `<< /Title ${literal(title)} /Parent ${parent} 0 R /Dest [${ref(pages[page - 1] ?? 0)} /XYZ 0 ${y} 0] ${links} >>`,
      );
    }
    set(parent, `<< /First ${ids[0]} 0 R /Last ${ids.at(-1)} 0 R /Count ${ids.length} >>`);
    return parent;
  }
}

const ref = (id: number): string => `${id} 0 R`;

const literal = (text = ''): string => `(${text.replace(/[\\()]/g, '\\$&')})`;

const drawText = ({ text, y, x = 72, size = 10, bold = false }: PdfText): string =>
  `BT /F${bold ? 1 : 0} ${size} Tf ${x} ${y} Td ${literal(text)} Tj ET`;

/** A PDF of these objects, numbered from 1; the first is the catalog. */
export const rawPdf = (objects: readonly string[]): Buffer =>
  assemble(objects, `/Size ${objects.length + 1} /Root 1 0 R`);

function assemble(objects: readonly string[], trailer: string): Buffer {
  let file = '%PDF-1.4\n';
  const offsets = objects.map((content, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${content}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  file += `trailer\n<< ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}
