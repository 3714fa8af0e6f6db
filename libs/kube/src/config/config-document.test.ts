import { describe, expect, it } from '@jest/globals';
import { ConfigError } from './cluster-config.ts';
import { readConfigDocument } from './config-document.ts';

const read = (text: string) => readConfigDocument({ path: '/f', text });

const complaintOf = (text: string): string => {
  try {
    read(text);
    return 'none';
  } catch (error) {
    return error instanceof ConfigError ? error.message : `no ConfigError: ${String(error)}`;
  }
};

/** More than a hundred copies of one value, made from a few lines. */
const bomb = ['a: &a [x, x, x, x, x, x]', 'b: &b [*a, *a, *a, *a, *a, *a]', 'c: &c [*b, *b, *b, *b, *b, *b]', 'd: [*c, *c, *c]'].join('\n');

describe('readConfigDocument', () => {
  it.each(['', '# nothing', '---\n', '~', 'null'])('finds nothing in %j', (text) => {
    expect(read(text)).toBeUndefined();
  });

  it('reads YAML and JSON, and resolves anchors and merge keys', () => {
    expect(read('{"a": "x"}')?.text('a')).toBe('x');
    const merged = read('base: &base {user: u, host: h}\nreal:\n  <<: *base\n  host: other\n')?.object('real');
    expect([merged?.keys(), merged?.text('user'), merged?.text('host')]).toEqual([['user', 'host'], 'u', 'other']);
  });

  it.each([
    { text: 'a: x\nb: "secret\nc: y\n', complaint: '/f: line 4: not YAML (MISSING_CHAR)' },
    { text: 'a: x\nsecret: 1\nsecret: 2\nb: y\n', complaint: '/f: line 3: not YAML (DUPLICATE_KEY)' },
    { text: 'a: x\n---\nb: secret\n', complaint: '/f: line 2: not YAML (MULTIPLE_DOCS)' },
    { text: 'a: *secret', complaint: '/f: not YAML (an alias or merge key that cannot be resolved)' },
    { text: '<<: secret', complaint: '/f: not YAML (an alias or merge key that cannot be resolved)' },
    { text: bomb, complaint: '/f: not YAML (an alias or merge key that cannot be resolved)' },
    { text: '- secret', complaint: '/f: must contain an object' },
    { text: 'secret', complaint: '/f: must contain an object' },
  ])('reports one line that quotes nothing: $complaint', ({ text, complaint }) => {
    expect(complaintOf(text)).toBe(complaint);
  });

  it('prints nothing of its input', () => {
    const emitWarning = process.emitWarning.bind(process);
    const warnings: unknown[] = [];
    process.emitWarning = (...warning: unknown[]) => void warnings.push(warning);
    try {
      read('? {secret: 1}\n: x\n');
    } finally {
      process.emitWarning = emitWarning;
    }
    expect(warnings).toEqual([]);
  });
});
