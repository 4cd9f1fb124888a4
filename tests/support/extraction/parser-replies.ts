import type { Paper } from '../../../domain/extraction/paper.js';

/** A paper of two pages as PDFium's characters give it, and what other parsers say of the same paper, in their forms. */

export const pageSizes = [
  { width: 612, height: 792 },
  { width: 612, height: 792 },
];

const firstPage = [
  'Warm Ovens in Cold Rooms',
  'Ada Baker and Bo Miller',
  'Abstract',
  'We measure how ovens keep the warmth of a kitchen.',
  '1 Introduction',
  'Ovens are older than bread, as every baker knows.',
  'Table 1: Warmth by oven.',
  '2 Method',
];
const secondPage = [
  'We heat each oven to the same warmth and wait.',
  'E = mc2 (1)',
  'Figure 1: The kitchen from above.',
  '2.1 Ovens',
  'All ovens of the trial stand in one kitchen.',
  'References',
  '[1] C. Cook. Bread and warmth. 1999.',
  '[2] D. Doe. On kitchens. 2001.',
];

export const plainPaper: Paper = {
  title: 'Warm Ovens in Cold Rooms',
  subtitle: null,
  authors: ['Ada Baker'],
  affiliations: [],
  abstract: 'We measure how ovens keep the warmth of a kitchen.',
  keywords: [],
  year: 2020,
  venue: null,
  doi: null,
  arxivId: null,
  pages: [firstPage, secondPage].map((lines) => ({
    width: 612,
    height: 792,
    text: lines.join('\n'),
    unusable: null,
  })),
  sections: [
    { title: 'Introduction', number: '1', level: 1, parent: null, text: '', pages: [1] },
    { title: 'Method', number: '2', level: 1, parent: null, text: '', pages: [1, 2] },
    { title: 'Ovens', number: '2.1', level: 2, parent: 1, text: '', pages: [2] },
    { title: 'References', number: null, level: 1, parent: null, text: '', pages: [2] },
  ],
  tables: [
    {
      page: 1,
      box: [72, 400, 200, 60],
      caption: 'Table 1: Warmth by oven.',
      number: '1',
      html: '<table><tr><td>oven warmth</td></tr></table>',
    },
  ],
  figures: [
    {
      page: 2,
      box: [72, 100, 300, 200],
      caption: 'Figure 1: The kitchen from above.',
      number: '1',
    },
  ],
  equations: [
    { page: 2, box: [200, 80, 90, 14], text: 'E = mc2', latex: 'E = m c 2', number: '1' },
  ],
  references: [
    {
      page: 2,
      box: [72, 600, 300, 12],
      text: 'C. Cook. Bread and warmth. 1999.',
      label: '1',
      authors: ['C. Cook'],
      year: 1999,
      title: 'Bread and warmth',
    },
    {
      page: 2,
      box: [72, 620, 300, 12],
      text: 'D. Doe. On kitchens. 2001.',
      label: '2',
      authors: ['D. Doe'],
      year: 2001,
      title: 'On kitchens',
    },
  ],
  citations: [{ page: 1, text: '[2]', reference: 1 }],
  footnotes: [],
  chunks: [{ page: 1, section: null, text: 'Warm Ovens in Cold Rooms' }],
};

/** Of GROBID 0.8. */
export const grobidReply = `<?xml version="1.0" encoding="UTF-8"?>
<TEI xml:space="preserve" xmlns="http://www.tei-c.org/ns/1.0">
  <teiHeader xml:lang="en">
    <fileDesc>
      <titleStmt><title level="a" type="main" coords="1,100,80,300,20">Warm Ovens in Cold Rooms</title></titleStmt>
      <publicationStmt><publisher/><date type="published" when="2021-05-04">4 May 2021</date></publicationStmt>
      <sourceDesc><biblStruct>
        <analytic>
          <author><persName coords="1,100,110,80,10"><forename type="first">Ada</forename><surname>Baker</surname></persName>
            <affiliation key="aff0"><orgName type="department">Department of Bread</orgName><orgName type="institution">Kitchen College</orgName>
              <address><settlement>Graz</settlement><country key="AT">Austria</country></address></affiliation></author>
          <author><persName><forename type="first">Bo</forename><forename type="middle">R</forename><surname>Miller</surname></persName>
            <affiliation key="aff0"><orgName type="department">Department of Bread</orgName><orgName type="institution">Kitchen College</orgName>
              <address><settlement>Graz</settlement><country key="AT">Austria</country></address></affiliation></author>
        </analytic>
        <monogr><title level="j" type="main">Journal of Ovens</title><imprint><date type="published" when="2021-05-04"/></imprint></monogr>
        <idno type="MD5">ADF9B2C0</idno><idno type="DOI">10.1000/ovens.1</idno>
      </biblStruct></sourceDesc>
    </fileDesc>
    <profileDesc>
      <textClass><keywords><term>ovens</term><term>bread &amp; warmth</term></keywords></textClass>
      <abstract><div><p>We measure how ovens keep the warmth of a kitchen.</p></div></abstract>
    </profileDesc>
  </teiHeader>
  <facsimile>
    <surface n="1" ulx="0.0" uly="0.0" lrx="612.0" lry="792.0"/><surface n="2" ulx="0.0" uly="0.0" lrx="612.0" lry="792.0"/>
  </facsimile>
  <text xml:lang="en">
    <body>
<div xmlns="http://www.tei-c.org/ns/1.0"><head n="1." coords="1,72,300,90,12">Introduction</head><p coords="1,72,320,300,10">Ovens are older than bread, as every baker knows <ref type="bibr" target="#b1">[2]</ref>.</p></div>
<div xmlns="http://www.tei-c.org/ns/1.0"><head n="2" coords="1,72,500,60,12">Method</head><p coords="2,72,72,300,10;2,72,84,120,10">We heat each oven to the same warmth and wait.</p>
<formula xml:id="formula_0" coords="2,200,80,90,14">E = mc 2<label>(1)</label></formula></div>
<div xmlns="http://www.tei-c.org/ns/1.0"><p coords="2,72,100,300,10">Then the ovens cool.</p></div>
<div xmlns="http://www.tei-c.org/ns/1.0"><head n="2.1" coords="2,72,320,60,12">Ovens</head><p coords="2,72,340,300,10">All ovens of the trial stand in one kitchen.</p></div>
<figure xmlns="http://www.tei-c.org/ns/1.0" xml:id="fig_0" coords="2,72,100,300,220"><head>Figure 1 :</head><label>1</label><figDesc>The kitchen from above.</figDesc><graphic coords="2,72,100,300,200" type="vector"/></figure>
<figure xmlns="http://www.tei-c.org/ns/1.0" type="table" xml:id="tab_0" coords="1,72,380,200,80"><head>Table 1 .</head><label>1</label><figDesc>Warmth by oven.</figDesc><table coords="1,72,400,200,60"><row><cell>Oven</cell><cell cols="2">Warmth</cell></row><row><cell>A &lt; B</cell><cell>180</cell><cell>190</cell></row></table></figure>
    </body>
    <back>
      <div type="acknowledgement"><div><head>Acknowledgements</head><p>We thank the cooks.</p></div></div>
      <div type="references"><listBibl>
<biblStruct coords="2,72,600,300,12" xml:id="b0"><analytic><title level="a" type="main">Bread and warmth</title><author><persName><forename type="first">C</forename><surname>Cook</surname></persName></author></analytic><monogr><title level="j">Journal of Bread</title><imprint><date type="published" when="1999">1999</date></imprint></monogr><note type="raw_reference">[1] C. Cook. Bread and warmth. Journal of Bread, 1999.</note></biblStruct>
<biblStruct coords="2,72,620,300,12;2,90,632,100,12" xml:id="b1"><monogr><title level="m">On kitchens</title><author><persName><forename type="first">D</forename><surname>Doe</surname></persName></author><imprint><date type="published" when="2001">2001</date></imprint></monogr></biblStruct>
      </listBibl></div>
    </back>
  </text>
</TEI>`;

const span = (content: string, type = 'text') => ({ bbox: [72, 72, 300, 84], type, content });
const lines = (...texts: readonly string[]) =>
  texts.map((text) => ({ bbox: [72, 72, 300, 84], spans: [span(text)] }));

/** Of MinerU's pipeline: `paper_middle.json`. */
export const mineruMiddle = {
  pdf_info: [
    {
      page_idx: 0,
      page_size: [612, 792],
      para_blocks: [
        { type: 'title', bbox: [100, 80, 400, 100], lines: lines('Warm Ovens in Cold Rooms') },
        { type: 'text', bbox: [100, 110, 400, 120], lines: lines('Ada Baker and Bo Miller') },
        { type: 'title', bbox: [72, 150, 130, 162], lines: lines('Abstract') },
        {
          type: 'text',
          bbox: [72, 170, 400, 190],
          lines: lines('We measure how ovens keep the', 'warmth of a kit-', 'chen.'),
        },
        { type: 'title', bbox: [72, 300, 162, 312], lines: lines('1 Introduction') },
        {
          type: 'text',
          bbox: [72, 320, 372, 330],
          lines: lines('Ovens are older than bread, as every baker knows.'),
        },
        {
          type: 'table',
          bbox: [72, 380, 272, 470],
          blocks: [
            {
              type: 'table_caption',
              bbox: [72, 380, 272, 392],
              lines: lines('Table 1: Warmth by oven.'),
            },
            {
              type: 'table_body',
              bbox: [72, 400, 272, 460],
              lines: [
                {
                  bbox: [72, 400, 272, 460],
                  spans: [
                    {
                      bbox: [72, 400, 272, 460],
                      type: 'table',
                      html: '<html><body><table><tr><td>Oven</td><td colspan="2">Warmth</td></tr><tr><td>A &lt; B</td><td>180</td><td>190</td></tr></table></body></html>',
                      image_path: 'a.jpg',
                    },
                  ],
                },
              ],
            },
            { type: 'table_footnote', bbox: [72, 460, 272, 470], lines: lines('In degrees.') },
          ],
        },
        { type: 'title', bbox: [72, 500, 132, 512], lines: lines('2 Method') },
      ],
      discarded_blocks: [],
    },
    {
      page_idx: 1,
      page_size: [612, 792],
      para_blocks: [
        {
          type: 'text',
          bbox: [72, 72, 372, 92],
          lines: lines('We heat each oven to the same warmth and wait.'),
        },
        {
          type: 'interline_equation',
          bbox: [200, 80, 290, 94],
          lines: [
            {
              bbox: [200, 80, 290, 94],
              spans: [span('E = m c ^ { 2 } \\tag{1}', 'interline_equation')],
            },
          ],
        },
        {
          type: 'image',
          bbox: [72, 100, 372, 320],
          blocks: [
            {
              type: 'image_body',
              bbox: [72, 100, 372, 300],
              lines: [
                { bbox: [72, 100, 372, 300], spans: [{ type: 'image', image_path: 'b.jpg' }] },
              ],
            },
            {
              type: 'image_caption',
              bbox: [72, 304, 372, 316],
              lines: lines('Figure 1: The kitchen from above.'),
            },
          ],
        },
        { type: 'title', bbox: [72, 320, 132, 332], level: 2, lines: lines('2.1 Ovens') },
        {
          type: 'text',
          bbox: [72, 340, 372, 350],
          lines: lines('All ovens of the trial stand in one kitchen.'),
        },
        { type: 'title', bbox: [72, 580, 132, 592], lines: lines('References') },
        {
          type: 'list',
          sub_type: 'ref_text',
          bbox: [72, 600, 372, 632],
          blocks: [
            {
              type: 'ref_text',
              bbox: [72, 600, 372, 612],
              lines: lines('[1] C. Cook. Bread and warmth. 1999.'),
            },
            {
              type: 'ref_text',
              bbox: [72, 620, 372, 632],
              lines: lines('[2] D. Doe. On kitchens. 2001.'),
            },
          ],
        },
      ],
      discarded_blocks: [],
    },
  ],
  _backend: 'pipeline',
  _version_name: '2.5.4',
};

/** `paper_content_list.json`. The boxes are in thousandths of the page. */
export const mineruContentList = [
  {
    type: 'text',
    text: 'Warm Ovens in Cold Rooms',
    text_level: 1,
    bbox: [163, 101, 653, 126],
    page_idx: 0,
  },
  { type: 'text', text: 'Ada Baker and Bo Miller', page_idx: 0 },
  { type: 'text', text: 'Abstract', text_level: 1, page_idx: 0 },
  { type: 'text', text: 'We measure how ovens keep the warmth of a kitchen.', page_idx: 0 },
  { type: 'text', text: '1 Introduction', text_level: 1, page_idx: 0 },
  { type: 'text', text: 'Ovens are older than bread, as every baker knows.', page_idx: 0 },
  {
    type: 'table',
    img_path: 'images/a.jpg',
    table_caption: ['Table 1: Warmth by oven.'],
    table_footnote: ['In degrees.'],
    table_body:
      '<html><body><table><tr><td>Oven</td><td colspan="2">Warmth</td></tr><tr><td>A &lt; B</td><td>180</td><td>190</td></tr></table></body></html>',
    page_idx: 0,
  },
  { type: 'text', text: '2 Method', text_level: 1, page_idx: 0 },
  { type: 'text', text: 'We heat each oven to the same warmth and wait.', page_idx: 1 },
  { type: 'equation', text: '$$\nE = m c ^ { 2 } \\tag{1}\n$$', text_format: 'latex', page_idx: 1 },
  {
    type: 'image',
    img_path: 'images/b.jpg',
    image_caption: ['Figure 1: The kitchen from above.'],
    image_footnote: [],
    bbox: [100, 125, 600, 375],
    page_idx: 1,
  },
  { type: 'text', text: '2.1 Ovens', text_level: 1, page_idx: 1 },
  { type: 'text', text: 'All ovens of the trial stand in one kitchen.', page_idx: 1 },
  { type: 'page_number', text: '2', page_idx: 1 },
  { type: 'text', text: 'References', text_level: 1, page_idx: 1 },
  { type: 'text', text: '[1] C. Cook. Bread and warmth. 1999.', page_idx: 1 },
  { type: 'text', text: '[2] D. Doe. On kitchens. 2001.', page_idx: 1 },
];

const prov = (page_no: number, l: number, t: number, r: number, b: number) => [
  { page_no, bbox: { l, t, r, b, coord_origin: 'BOTTOMLEFT' }, charspan: [0, 1] },
];
const doclingTexts = [
  { label: 'page_header', text: 'Journal of Ovens', prov: prov(1, 72, 780, 200, 770) },
  {
    label: 'section_header',
    level: 1,
    text: 'Warm Ovens in Cold Rooms',
    prov: prov(1, 100, 712, 400, 692),
  },
  { label: 'text', text: 'Ada Baker and Bo Miller', prov: prov(1, 100, 682, 400, 672) },
  { label: 'section_header', level: 1, text: 'Abstract', prov: prov(1, 72, 642, 130, 630) },
  {
    label: 'text',
    text: 'We measure how ovens keep the warmth of a kitchen.',
    prov: prov(1, 72, 622, 400, 602),
  },
  { label: 'section_header', level: 1, text: '1 Introduction', prov: prov(1, 72, 492, 162, 480) },
  {
    label: 'text',
    text: 'Ovens are older than bread, as every baker knows.',
    prov: prov(1, 72, 472, 372, 462),
  },
  { label: 'caption', text: 'Table 1: Warmth by oven.', prov: prov(1, 72, 412, 272, 400) },
  { label: 'section_header', level: 1, text: '2 Method', prov: prov(1, 72, 292, 132, 280) },
  {
    label: 'text',
    text: 'We heat each oven to the same warmth and wait.',
    prov: prov(2, 72, 720, 372, 700),
  },
  { label: 'formula', text: 'E = m c ^ { 2 }', orig: 'E = mc2', prov: prov(2, 200, 712, 290, 698) },
  { label: 'caption', text: 'Figure 1: The kitchen from above.', prov: prov(2, 72, 488, 372, 476) },
  { label: 'text', text: 'north', prov: prov(2, 80, 600, 100, 590) },
  { label: 'section_header', level: 1, text: '2.1 Ovens', prov: prov(2, 72, 472, 132, 460) },
  {
    label: 'text',
    text: 'All ovens of the trial stand in one kitchen.',
    prov: prov(2, 72, 452, 372, 442),
  },
  { label: 'section_header', level: 1, text: 'References', prov: prov(2, 72, 212, 132, 200) },
  {
    label: 'list_item',
    text: '[1] C. Cook. Bread and warmth. 1999.',
    marker: '-',
    prov: prov(2, 72, 192, 372, 180),
  },
  {
    label: 'list_item',
    text: '[2] D. Doe. On kitchens. 2001.',
    marker: '-',
    prov: prov(2, 72, 172, 372, 160),
  },
].map((text, index) => ({ orig: text.text, ...text, self_ref: `#/texts/${index}`, children: [] }));

const cell = (row: number, column: number, text: string, columns = 1, isHeader = false) => ({
  start_row_offset_idx: row,
  end_row_offset_idx: row + 1,
  start_col_offset_idx: column,
  end_col_offset_idx: column + columns,
  row_span: 1,
  col_span: columns,
  text,
  column_header: isHeader,
  row_header: false,
});
const at = (index: number) => ({ $ref: `#/texts/${index}` });

export const doclingDocument = {
  schema_name: 'DoclingDocument',
  version: '1.7.0',
  name: 'paper',
  body: {
    self_ref: '#/body',
    children: [
      ...[1, 2, 3, 4, 5, 6].map(at),
      { $ref: '#/tables/0' },
      ...[8, 9, 10].map(at),
      { $ref: '#/pictures/0' },
      ...[13, 14, 15].map(at),
      { $ref: '#/groups/0' },
    ],
  },
  groups: [{ self_ref: '#/groups/0', children: [at(16), at(17)], name: 'list', label: 'list' }],
  texts: doclingTexts,
  pictures: [
    {
      self_ref: '#/pictures/0',
      children: [at(11), at(12)],
      label: 'picture',
      prov: prov(2, 72, 692, 372, 492),
      captions: [at(11)],
    },
  ],
  tables: [
    {
      self_ref: '#/tables/0',
      children: [at(7)],
      label: 'table',
      prov: prov(1, 72, 392, 272, 332),
      captions: [at(7)],
      data: {
        table_cells: [
          cell(0, 0, 'Oven', 1, true),
          cell(0, 1, 'Warmth', 2, true),
          cell(1, 0, 'A < B'),
          cell(1, 1, '180'),
          cell(1, 2, '190'),
        ],
        num_rows: 2,
        num_cols: 3,
      },
    },
  ],
  pages: {
    '1': { size: { width: 612, height: 792 }, page_no: 1 },
    '2': { size: { width: 612, height: 792 }, page_no: 2 },
  },
};
