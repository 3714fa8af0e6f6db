/** The part of the CRI that the daemon speaks, as JSON in a module: a bundle then needs no file beside it. Read by `libs/cri`. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import protobuf from 'protobufjs';
import { origin, type Generator } from './generator.ts';

const root = dirname(dirname(import.meta.dirname));
const source = 'protos/cri.proto';

/** From a proto file's text to the module that holds it. */
function criSchemaModule(proto: string): string {
  const schema = protobuf.parse(proto).root.toJSON();
  return `// ${origin(source)}\nexport const criSchema = ${JSON.stringify(schema, null, 1)};\n`;
}

export const criSchemaGenerator: Generator = {
  name: 'cri-schema',
  folders: ['libs/cri/src/generated'],
  files: () => [{ path: 'libs/cri/src/generated/cri-schema.ts', content: criSchemaModule(readFileSync(join(root, source), 'utf8')) }],
};
