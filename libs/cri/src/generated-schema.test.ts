import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { criSchema } from './generated/cri-schema.ts';
import { criMethods, loadCriMethods, type CriMethod } from './cri-methods.ts';

const proto = readFileSync(join(import.meta.dirname, '../../../protos/cri.proto'), 'utf8');

describe('the generated schema', () => {
  it('has every message and field of the proto file', () => {
    const declared = [...proto.matchAll(/^(?:message|enum) (\w+)/gm)].map((match) => match[1]);
    const types: object = criSchema.nested.runtime.nested.v1.nested;
    expect(Object.keys(types)).toEqual(expect.arrayContaining(declared));
    const numbers = [...proto.matchAll(/^ {2}[\w<>, ]+ (\w+) = (\d+);/gm)].length;
    expect(JSON.stringify(criSchema).match(/"id":\d+|"(?:CONTAINER|SANDBOX)_\w+":\d+/g)).toHaveLength(numbers + enumValues());
  });

  it('loads every method that may be called', () => {
    const methods = loadCriMethods();
    expect((Object.keys(criMethods) as CriMethod[]).map((method) => typeof methods[method].requestSerialize)).not.toContain('undefined');
  });
});

const enumValues = (): number => [...proto.matchAll(/^ {2}[A-Z_]+ = \d+;/gm)].length;
