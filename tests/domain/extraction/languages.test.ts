// cspell:disable
import { describe, expect, it } from 'vitest';
import { extractPaper } from '../../../domain/extraction/extract-paper.js';
import { contentOf, type LineSpec } from '../../support/extraction/pdf-content.js';

interface Print {
  readonly title: string;
  readonly authors: string;
  /** Alone on its line, or in front of the text. */
  readonly abstract: string;
  readonly headings: readonly string[];
  readonly text: readonly string[];
  readonly references: string;
  readonly entries: readonly string[];
}

/** A paper of two sections and a list of references. */
function paperOf({ title, authors, abstract, headings, text, references, entries }: Print) {
  let y = 60;
  const below = (line: string, fontSize: number, gap: number): LineSpec => ({
    text: line,
    fontSize,
    y: (y += gap),
  });
  const body = (gap = 13): readonly LineSpec[] =>
    text.map((line, at) => below(line, 10, at === 0 ? gap : 13));
  const heading = (line: string): LineSpec => below(line, 13, 28);
  return extractPaper(
    contentOf([
      [
        below(title, 18, 20),
        below(authors, 11, 24),
        ...(abstract.endsWith('*')
          ? [heading(abstract.slice(0, -1)), ...body(20)]
          : [below(`${abstract}${text[0]}`, 10, 30)]),
        ...headings.flatMap((line) => [heading(line), ...body(20), ...body(), ...body()]),
        heading(references),
        ...entries.map((entry) => below(entry, 10, 18)),
      ],
    ]),
  );
}

const chinese = [
  '岸站每十分钟对读数取平均值，并保存平均值及其',
  '离散程度。系泊船舶报告其航向和速度，因此不必',
];
const japanese = [
  '観測所は十分ごとに値を平均し、その平均とばらつきを',
  '保存する。係留された船は速度を報告する。',
];
const german = [
  'Die Station mittelt die Werte alle zehn Minuten und',
  'speichert die Mittel und ihre Streuung im Hafen.',
];
const french = [
  'La station calcule la moyenne toutes les dix minutes',
  'et garde les moyennes avec leur dispersion au port.',
];
const spanish = [
  'La estación calcula la media cada diez minutos y la',
  'guarda con su dispersión en el puerto del norte.',
];
const gbt = [
  '[1] 王海. 北湾的潮汐[J]. 港口学报, 2011, 12(3): 44-58.',
  '[2] 李岸, 赵波. 系泊船舶航向的平均[C]. 海洋会议, 2015: 101-110.',
];

describe('papers in other languages', () => {
  it.each<[string, Print, readonly string[], readonly string[]]>([
    [
      'Chinese',
      {
        title: '港口系泊船舶漂移的测量',
        authors: '王海 李岸',
        abstract: '摘要*',
        headings: ['1 引言', '2 方法'],
        text: chinese,
        references: '参考文献',
        entries: gbt,
      },
      ['王海', '李岸'],
      ['1 引言', '2 方法', '- 参考文献'],
    ],
    [
      'Chinese with Chinese numbers and commas',
      {
        title: '港口系泊船舶漂移的测量',
        authors: '王海，欧阳明',
        abstract: '【摘要】',
        headings: ['一、引言', '二、方法'],
        text: chinese,
        references: '参考文献：',
        entries: gbt,
      },
      ['王海', '欧阳明'],
      ['一 引言', '二 方法', '- 参考文献：'],
    ],
    [
      'traditional Chinese with formal numbers',
      {
        title: '港口繫泊船舶漂移之測量',
        authors: '王海明 李岸',
        abstract: '摘要*',
        headings: ['壹、前言', '貳、研究方法'],
        text: chinese,
        references: '參考文獻',
        entries: gbt,
      },
      ['王海明', '李岸'],
      ['壹 前言', '貳 研究方法', '- 參考文獻'],
    ],
    [
      'Japanese with a space behind the word for abstract',
      {
        title: '港における船の測定',
        authors: '山田 太郎',
        abstract: '要旨 ',
        headings: ['1 序論', '2 手法'],
        text: japanese,
        references: '参考文献',
        entries: gbt,
      },
      ['山田 太郎'],
      ['1 序論', '2 手法', '- 参考文献'],
    ],
    [
      'Japanese',
      {
        title: '港における船の測定',
        authors: '山田 太郎・高橋 花子',
        abstract: '概要*',
        headings: ['第1章 はじめに', '第2章 手法'],
        text: japanese,
        references: '参考文献',
        entries: [
          '[1] 山田太郎. 北湾の潮汐. 港学会誌, 12(3), 44-58, 2011.',
          '[2] 高橋花子, 森一郎. 船の平均. 海洋会議, 101-110, 2015.',
        ],
      },
      ['山田 太郎', '高橋 花子'],
      ['1 はじめに', '2 手法', '- 参考文献'],
    ],
    [
      'German',
      {
        title: 'Schiffe im Hafen',
        authors: 'Jürgen Groß und Ute Weiß',
        abstract: 'Zusammenfassung*',
        headings: ['1 Einleitung', '2 Methoden'],
        text: german,
        references: 'Literaturverzeichnis',
        entries: [
          '[1] R. Alder. Gezeiten der Bucht. Zeitschrift für Häfen, 12(3):44–58, 2011.',
          '[2] S. Birke und T. Kohl. Mittel von Kursen. Seewesen, S. 101–110, 2015.',
        ],
      },
      ['Jürgen Groß', 'Ute Weiß'],
      ['1 Einleitung', '2 Methoden', '- Literaturverzeichnis'],
    ],
    [
      'French',
      {
        title: 'Les navires du port',
        authors: 'Élise Dupont et Jean Martin',
        abstract: 'Résumé. ',
        headings: ['1 Introduction', '2 Méthodes'],
        text: french,
        references: 'Références bibliographiques',
        entries: [
          '[1] R. Alder. Les marées de la baie. Revue des ports, 12(3):44–58, 2011.',
          '[2] S. Brun et T. Col. Moyennes de caps. Systèmes marins, p. 101–110, 2015.',
        ],
      },
      ['Élise Dupont', 'Jean Martin'],
      ['1 Introduction', '2 Méthodes', '- Références bibliographiques'],
    ],
    [
      'Spanish',
      {
        title: 'Los barcos del puerto',
        authors: 'Ana Ruiz y Luis Vega',
        abstract: 'Resumen: ',
        headings: ['1 Introducción', '2 Métodos'],
        text: spanish,
        references: 'Bibliografía',
        entries: [
          '[1] R. Alder. Las mareas de la bahía. Revista de puertos, 12(3):44–58, 2011.',
          '[2] S. Bru y T. Col. Medias de rumbos. Sistemas marinos, p. 101–110, 2015.',
        ],
      },
      ['Ana Ruiz', 'Luis Vega'],
      ['1 Introducción', '2 Métodos', '- Bibliografía'],
    ],
  ])('have front matter, sections and references: %s', (_, print, authors, sections) => {
    const paper = paperOf(print);
    expect(paper.title).toBe(print.title);
    expect(paper.authors).toEqual(authors);
    expect(paper.abstract).toContain(print.text[0]?.slice(0, 15));
    expect(paper.sections.map(({ number, title }) => `${number ?? '-'} ${title}`)).toEqual(
      sections,
    );
    expect(paper.references.map(({ year }) => year)).toEqual([2011, 2015]);
    expect(paper.references.map(({ label }) => label)).toEqual(['1', '2']);
  });

  it('have Chinese keywords up to numbers of classifications', () => {
    const keywords = '关键词：系泊；漂移  中图分类号：U661  文献标识码：A';
    expect(extractPaper(contentOf([['港口', keywords]])).keywords).toEqual(['系泊', '漂移']);
  });

  it('have Chinese lines joined without spaces', () => {
    const { abstract, chunks, references } = paperOf({
      title: '港口系泊船舶',
      authors: '王海 李岸',
      abstract: '摘要*',
      headings: ['1 引言'],
      text: chinese,
      references: '参考文献',
      entries: gbt,
    });
    expect(abstract).toContain('平均值及其离散程度');
    expect(chunks.some(({ text }) => text.includes('平均值及其离散程度'))).toBe(true);
    expect(references[0]).toMatchObject({ authors: ['王海'], title: '北湾的潮汐' });
    expect(references[1]).toMatchObject({ authors: ['李岸', '赵波'], title: '系泊船舶航向的平均' });
  });
});
