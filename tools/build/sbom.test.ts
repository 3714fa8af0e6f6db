import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { contentsOf } from './bundle.ts';
import { sbomOf, type Material } from './sbom.ts';

const sha512 = createHash('sha512').update('a').digest();
const locked = {
  'node_modules/a': { version: '1.2.3', integrity: `sha512-${sha512.toString('base64')}`, license: 'MIT' },
  'node_modules/@s/b': { version: '2.0.0' },
  'node_modules/a/node_modules/@s/b': { version: '1.0.0' },
};
const product = { name: 'image', version: 'v1', type: 'container', locked } as const;
const main: Material = {
  path: 'app/main.mjs',
  content: Buffer.from('x'),
  packages: ['node_modules/a', 'node_modules/a/node_modules/@s/b'],
};
const launcher: Material = { path: 'manager', content: Buffer.from('y'), packages: [] };

interface Bom {
  readonly components: readonly {
    readonly 'bom-ref': string;
    readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}
const read = (...materials: readonly Material[]): Bom => JSON.parse(sbomOf(materials, product)) as Bom;

describe('the bill of materials', () => {
  it('has every file with its digest, and every package once with version, digest and licence of the lock file', () => {
    const { components } = read(main, launcher, { ...main, path: 'app/other.mjs' });
    expect(components.map((component) => component['bom-ref'])).toEqual([
      'file:/app/main.mjs',
      'file:/app/other.mjs',
      'file:/manager',
      'pkg:npm/a@1.2.3',
      'pkg:npm/%40s/b@1.0.0',
    ]);
    expect(components[0]?.hashes).toEqual([{ alg: 'SHA-256', content: createHash('sha256').update('x').digest('hex') }]);
    expect(components[3]).toMatchObject({
      hashes: [{ alg: 'SHA-512', content: sha512.toString('hex') }],
      licenses: [{ expression: 'MIT' }],
      purl: 'pkg:npm/a@1.2.3',
    });
  });

  it('says which packages are in which file', () => {
    expect(read(main, launcher).dependencies).toEqual([
      { ref: 'image@v1', dependsOn: ['file:/app/main.mjs', 'file:/manager'] },
      { ref: 'file:/app/main.mjs', dependsOn: ['pkg:npm/a@1.2.3', 'pkg:npm/%40s/b@1.0.0'] },
      { ref: 'file:/manager', dependsOn: [] },
    ]);
  });

  it('is the same for the same files in any order', () => {
    expect(sbomOf([launcher, main], product)).toBe(sbomOf([main, launcher], product));
  });

  it('is not made of a package that is not locked', () => {
    expect(() => read({ ...main, packages: ['node_modules/none'] })).toThrow(
      'node_modules/none is in a bundle, and not in package-lock.json',
    );
  });
});

it('the packages of a script are found by the folders of its inputs', () => {
  const inputs = (...paths: readonly string[]) => Object.fromEntries(paths.map((path) => [path, { bytesInOutput: 1 }]));
  const output = { bytes: 1, imports: [], exports: [] };
  const contents = contentsOf({
    'dist/manager/main.mjs': {
      ...output,
      inputs: inputs('apps/a.ts', 'node_modules/a/x.js', 'node_modules/a/y.js', 'node_modules/a/node_modules/@s/b/z.js'),
    },
    '../out/chunk.mjs': { ...output, inputs: inputs('../root/node_modules/@s/b/lib/z.js') },
  });
  expect(contents).toEqual({
    'main.mjs': ['node_modules/a', 'node_modules/a/node_modules/@s/b'],
    'chunk.mjs': ['node_modules/@s/b'],
  });
});
