import protobuf from 'protobufjs/minimal.js';
import { z } from 'zod';

// The encoder of BERT with the mean of its tokens as a graph of ONNX (opset 17), which reads its weights from a file of
// safetensors where they lie. Sources: the ONNX specification (onnx.proto); Devlin et al. 2019, arXiv:1810.04805, of the
// encoder; Reimers and Gurevych 2019, arXiv:1908.10084, of the mean.

/** Inputs `input_ids` and `attention_mask`, both int64 of [texts, tokens]; output float32 of [texts, size], each of length 1. */
const [ids, mask, output] = ['input_ids', 'attention_mask', 'embedding'];

const weightSchema = z.object({
  dtype: z.string(),
  shape: z.array(z.int().nonnegative()),
  data_offsets: z.tuple([z.int().nonnegative(), z.int().nonnegative()]),
});
type Weights = Readonly<Record<string, z.infer<typeof weightSchema>>>;

/**
 * The graph for the weights of a BERT encoder.
 * @param safetensors - the file of the weights, from its begin to at least the end of its header
 * @param location - the file's name, relative to the folder of the graph
 * @param headSize - numbers of an attention head
 */
export function encoderGraph(
  safetensors: Uint8Array,
  { location, headSize = 32 }: { readonly location: string; readonly headSize?: number },
): Uint8Array {
  const headerBytes = Number(
    new DataView(safetensors.buffer, safetensors.byteOffset).getBigUint64(0, true),
  );
  const { __metadata__: _ignored, ...entries } = z
    .record(z.string(), z.unknown())
    .parse(JSON.parse(new TextDecoder().decode(safetensors.subarray(8, 8 + headerBytes))));
  const weights: Weights = z.record(z.string(), weightSchema).parse(entries);
  const size = weights['embeddings.LayerNorm.weight']?.shape[0] ?? 0;
  const layers = Object.keys(weights).filter((name) => name.endsWith('.intermediate.dense.bias'));
  const nodes: Uint8Array[] = [];
  const constants: Uint8Array[] = [];
  const used = new Set<string>();
  let count = 0;

  const weight = (name: string): string => {
    used.add(name);
    return name;
  };
  const node = (type: string, inputs: readonly string[], attributes: Attributes = {}): string => {
    const name = `v${(count += 1)}`;
    nodes.push(nodeBytes(type, inputs, name, attributes));
    return name;
  };
  const constant = (
    type: keyof typeof elementTypes,
    values: readonly number[],
    isScalar = false,
  ): string => {
    const name = `c${(count += 1)}`;
    constants.push(tensorBytes(name, type, values, isScalar));
    return name;
  };
  const int = (...values: readonly number[]): string => constant('int64', values);
  const float = (value: number): string => constant('float', [value], true);
  const linear = (input: string, name: string): string => {
    const turned = node('Transpose', [weight(`${name}.weight`)], { perm: [1, 0] });
    return node('Add', [node('MatMul', [input, turned]), weight(`${name}.bias`)]);
  };
  const normal = (input: string, name: string): string =>
    node('LayerNormalization', [input, weight(`${name}.weight`), weight(`${name}.bias`)], {
      axis: -1,
      epsilon: 1e-12,
    });
  const heads = (input: string, perm: readonly number[]): string =>
    node('Transpose', [node('Reshape', [input, int(0, 0, size / headSize, headSize)])], { perm });
  const gelu = (input: string): string => {
    const erf = node('Erf', [node('Div', [input, float(Math.SQRT2)])]);
    return node('Mul', [node('Mul', [input, float(0.5)]), node('Add', [erf, float(1)])]);
  };

  const length = node('Slice', [node('Shape', [ids]), int(1), int(2)]);
  const positions = node('Slice', [
    weight('embeddings.position_embeddings.weight'),
    int(0),
    length,
    int(0),
  ]);
  const kind = node('Gather', [weight('embeddings.token_type_embeddings.weight'), int(0)]);
  const words = node('Gather', [weight('embeddings.word_embeddings.weight'), ids]);
  let state = normal(node('Add', [node('Add', [words, positions]), kind]), 'embeddings.LayerNorm');

  const seen = node('Cast', [mask], { to: elementTypes.float });
  const unseen = node('Mul', [node('Sub', [float(1), seen]), float(-1e9)]);
  const hidden = node('Unsqueeze', [unseen, int(1, 2)]);
  layers.forEach((_, index) => {
    const of = `encoder.layer.${index}`;
    const part = (name: string, perm: readonly number[]): string =>
      heads(linear(state, `${of}.attention.self.${name}`), perm);
    const alike = node('MatMul', [part('query', [0, 2, 1, 3]), part('key', [0, 2, 3, 1])]);
    const scaled = node('Add', [node('Div', [alike, float(Math.sqrt(headSize))]), hidden]);
    const shares = node('Softmax', [scaled], { axis: -1 });
    const read = node('MatMul', [shares, part('value', [0, 2, 1, 3])]);
    const joined = node('Reshape', [
      node('Transpose', [read], { perm: [0, 2, 1, 3] }),
      int(0, 0, size),
    ]);
    const attended = normal(
      node('Add', [linear(joined, `${of}.attention.output.dense`), state]),
      `${of}.attention.output.LayerNorm`,
    );
    const inner = gelu(linear(attended, `${of}.intermediate.dense`));
    state = normal(
      node('Add', [linear(inner, `${of}.output.dense`), attended]),
      `${of}.output.LayerNorm`,
    );
  });

  const weighed = node('Mul', [state, node('Unsqueeze', [seen, int(2)])]);
  const sum = node('ReduceSum', [weighed, int(1)], { keepdims: 0 });
  const norm = node('ReduceL2', [sum], { axes: [1], keepdims: 1 });
  nodes.push(nodeBytes('Div', [sum, norm], output, {}));

  const graph = protobuf.Writer.create();
  for (const bytes of nodes) graph.uint32(tag(1)).bytes(bytes);
  graph.uint32(tag(2)).string('encoder');
  for (const bytes of constants) graph.uint32(tag(5)).bytes(bytes);
  for (const name of used) {
    const found = weights[name];
    if (found?.dtype !== 'F32') throw new Error(`The model has no ${name} of 32-bit numbers.`);
    graph.uint32(tag(5)).bytes(weightBytes(name, found, 8 + headerBytes, location));
  }
  for (const name of [ids, mask]) {
    graph.uint32(tag(11)).bytes(valueBytes(name, 'int64', ['texts', 'tokens']));
  }
  graph.uint32(tag(12)).bytes(valueBytes(output, 'float', ['texts', size]));
  return protobuf.Writer.create()
    .uint32(tag(1, 0))
    .int64(8)
    .uint32(tag(7))
    .bytes(graph.finish())
    .uint32(tag(8))
    .fork()
    .uint32(tag(2, 0))
    .int64(17)
    .ldelim()
    .finish();
}

const elementTypes = { float: 1, int64: 7 } as const;

/** Of a field of a message: 0 for numbers, 2 for texts and messages, 5 for 32-bit numbers. */
const tag = (field: number, kind: 0 | 2 | 5 = 2): number => (field << 3) | kind;

type Attributes = Readonly<Record<string, number | readonly number[]>>;

function nodeBytes(
  type: string,
  inputs: readonly string[],
  result: string,
  attributes: Attributes,
): Uint8Array {
  const writer = protobuf.Writer.create();
  for (const input of inputs) writer.uint32(tag(1)).string(input);
  writer.uint32(tag(2)).string(result).uint32(tag(4)).string(type);
  for (const [name, value] of Object.entries(attributes)) {
    const attribute = writer.uint32(tag(5)).fork().uint32(tag(1)).string(name);
    if (typeof value !== 'number') {
      for (const each of value) attribute.uint32(tag(8, 0)).int64(each);
      attribute.uint32(tag(20, 0)).int32(7);
    } else if (Number.isInteger(value)) {
      attribute.uint32(tag(3, 0)).int64(value).uint32(tag(20, 0)).int32(2);
    } else {
      attribute.uint32(tag(2, 5)).float(value).uint32(tag(20, 0)).int32(1);
    }
    attribute.ldelim();
  }
  return writer.finish();
}

function tensorBytes(
  name: string,
  type: keyof typeof elementTypes,
  values: readonly number[],
  isScalar: boolean,
): Uint8Array {
  const data = type === 'float' ? Float32Array.from(values) : BigInt64Array.from(values, BigInt);
  const writer = protobuf.Writer.create();
  if (!isScalar) writer.uint32(tag(1, 0)).int64(values.length);
  return writer
    .uint32(tag(2, 0))
    .int32(elementTypes[type])
    .uint32(tag(8))
    .string(name)
    .uint32(tag(9))
    .bytes(new Uint8Array(data.buffer))
    .finish();
}

/** A tensor whose numbers are in the file of the weights. */
function weightBytes(
  name: string,
  { shape, data_offsets: [begin, end] }: Weights[string],
  dataBegin: number,
  location: string,
): Uint8Array {
  const writer = protobuf.Writer.create();
  for (const length of shape) writer.uint32(tag(1, 0)).int64(length);
  writer.uint32(tag(2, 0)).int32(elementTypes.float).uint32(tag(8)).string(name);
  const where = { location, offset: String(dataBegin + begin), length: String(end - begin) };
  for (const [key, value] of Object.entries(where)) {
    writer.uint32(tag(13)).fork().uint32(tag(1)).string(key).uint32(tag(2)).string(value).ldelim();
  }
  return writer.uint32(tag(14, 0)).int32(1).finish();
}

function valueBytes(
  name: string,
  type: keyof typeof elementTypes,
  shape: readonly (string | number)[],
): Uint8Array {
  const writer = protobuf.Writer.create().uint32(tag(1)).string(name);
  const tensor = writer
    .uint32(tag(2))
    .fork()
    .uint32(tag(1))
    .fork()
    .uint32(tag(1, 0))
    .int32(elementTypes[type]);
  const dimensions = tensor.uint32(tag(2)).fork();
  for (const length of shape) {
    const dimension = dimensions.uint32(tag(1)).fork();
    if (typeof length === 'number') dimension.uint32(tag(1, 0)).int64(length);
    else dimension.uint32(tag(2)).string(length);
    dimension.ldelim();
  }
  dimensions.ldelim();
  tensor.ldelim().ldelim();
  return writer.finish();
}
