/** The ResourceDistribution that a configuration describes. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { UserError } from '../failure.ts';
import { generate } from './generate.ts';

const files: Readonly<Record<string, string | Uint8Array>> = {
  'hello.txt': 'hello world',
  'sub/b.txt': 'b',
  'all.env': '\u{FEFF}A=1\r\n# comment\r\n\r\n  B=2=3\r\nHOME\r\nNONE',
  'bad.env': 'no key=1',
  'latin.env': Uint8Array.of(0x41, 0x3d, 0xff),
  binary: Uint8Array.of(0xff, 0x00),
};

const readFile = (path: string): Uint8Array => {
  const content = files[path];
  if (content === undefined) throw new UserError(`cannot read file ${path}: ENOENT`);
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
};

const everywhere = 'targets: {allNamespaces: true}';
const listOf = (resource: string, rest = everywhere, name = 'rd'): string => `
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items: [{apiVersion: v1, kind: Pod, metadata: {name: other}}]
functionConfig:
  apiVersion: apps.kruise.io/v1alpha1
  kind: ResourceDistributionGenerator
  metadata: {name: ${name}}
  resource: {${resource}}
  ${rest}
`;

interface Output {
  readonly kind: string;
  readonly items: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: object;
    readonly spec: { readonly resource: object; readonly targets: object };
  }[];
}
const run = (text: string): Output['items'][0] => {
  const list = parse(generate(text, { readFile, env: { HOME: '/home/a' } })) as Output;
  expect({ kind: list.kind, items: list.items.length }).toEqual({ kind: 'ResourceList', items: 1 });
  return list.items[0]!;
};
const resource = (text: string): object => run(listOf(text)).spec.resource;
const configMap = 'resourceKind: ConfigMap, resourceName: cm';
const secret = 'resourceKind: Secret, resourceName: s';

it('has names, labels and annotations as texts, in the order of their keys', () => {
  const options = 'resourceOptions: {labels: {test: true, a: 1.10}, annotations: {n: 0x10}, immutable: yes}';
  expect(run(listOf(`${configMap}, ${options}`, `options: {labels: {on: off}, annotations: {b: ~}}\n  ${everywhere}`))).toEqual({
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'ResourceDistribution',
    metadata: { name: 'rd', labels: { on: 'off' }, annotations: { b: '~' } },
    spec: {
      resource: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'cm', labels: { a: '1.10', test: 'true' }, annotations: { n: '0x10' } },
        immutable: true,
      },
      targets: { allNamespaces: true },
    },
  });
});

describe('the data', () => {
  it.each<{ name: string; given: string; then: object }>([
    {
      name: 'literals without their quotes',
      given: `${configMap}, literals: [A=b, 'C="d=e"', 'E= x']`,
      then: { data: { A: 'b', C: 'd=e', E: ' x' } },
    },
    {
      name: 'files by their name or a key',
      given: `${configMap}, files: [sub/b.txt, k=hello.txt]`,
      then: { data: { 'b.txt': 'b', k: 'hello world' } },
    },
    {
      name: 'lines of env files, and of the environment',
      given: `${configMap}, envs: [all.env]`,
      then: { data: { A: '1', B: '2=3', HOME: '/home/a', NONE: '' } },
    },
    {
      name: 'one env file',
      given: `${configMap}, env: all.env, literals: [Z=z]`,
      then: { data: { A: '1', B: '2=3', HOME: '/home/a', NONE: '', Z: 'z' } },
    },
    {
      name: 'binary data of a ConfigMap',
      given: `${configMap}, files: [binary, hello.txt]`,
      then: { data: { 'hello.txt': 'hello world' }, binaryData: { binary: '/wA=' } },
    },
    { name: 'of a Secret in base64', given: `${secret}, literals: [A=b]`, then: { data: { A: 'Yg==' }, type: 'Opaque' } },
    {
      name: 'of a Secret with a type',
      given: `${secret}, type: kubernetes.io/tls, literals: [A=ü]`,
      then: { data: { A: 'w7w=' }, type: 'kubernetes.io/tls' },
    },
    {
      name: 'of a Secret in lines of 70',
      given: `${secret}, literals: [A=${'x'.repeat(60)}, B=${'x'.repeat(51)}]`,
      then: { data: { A: `${'eHh4'.repeat(17)}eH\nh4${'eHh4'.repeat(2)}\n`, B: 'eHh4'.repeat(17) }, type: 'Opaque' },
    },
  ])('is $name', ({ given, then }) => {
    const { apiVersion: _version, kind: _kind, metadata: _metadata, ...rest } = resource(given) as Readonly<Record<string, unknown>>;
    expect(rest).toEqual(then);
  });
});

it('the targets are lists of names, and a selector in the order of its keys', () => {
  const targets = `targets:
    includedNamespaces: [a, "1"]
    excludedNamespaces: [b]
    namespaceLabelSelector:
      matchLabels: {group: test}
      matchExpressions:
      - {key: z, operator: In, values: [l, a]}
      - {key: b, operator: Exists}`;
  expect(run(listOf(configMap, targets)).spec.targets).toEqual({
    includedNamespaces: { list: [{ name: 'a' }, { name: '1' }] },
    excludedNamespaces: { list: [{ name: 'b' }] },
    namespaceLabelSelector: {
      matchLabels: { group: 'test' },
      matchExpressions: [
        { key: 'b', operator: 'Exists' },
        { key: 'z', operator: 'In', values: ['a', 'l'] },
      ],
    },
  });
});

const expression = (text: string): string => listOf(configMap, `targets: {namespaceLabelSelector: {matchExpressions: [{${text}}]}}`);
describe('the configuration is refused', () => {
  it.each<{ name: string; given: string; then: string }>([
    { name: 'without a name', given: listOf(configMap, everywhere, "''"), then: 'a ResourceDistribution must have a name' },
    { name: 'without the name of the resource', given: listOf('resourceKind: Secret'), then: 'must have a resource name' },
    {
      name: 'with another kind of resource',
      given: listOf('resourceKind: Pod, resourceName: x'),
      then: 'resourceKind must be ConfigMap or Secret',
    },
    { name: 'without targets', given: listOf(configMap, ''), then: 'targets field of the ResourceDistribution cannot be empty' },
    {
      name: 'with targets that are false',
      given: listOf(configMap, 'targets: {allNamespaces: false, namespaceLabelSelector: {}}'),
      then: 'cannot be empty',
    },
    {
      name: 'with an unclear truth value',
      given: listOf(configMap, 'targets: {allNamespaces: maybe}'),
      then: 'allNamespaces must be true or false, not "maybe"',
    },
    {
      name: 'with names that are no list',
      given: listOf(configMap, 'targets: {includedNamespaces: a}'),
      then: 'includedNamespaces must be a list',
    },
    {
      name: 'with names that are no texts',
      given: listOf(configMap, 'targets: {includedNamespaces: [{a: b}]}'),
      then: 'includedNamespaces must be a list of texts',
    },
    {
      name: 'with labels that are no map',
      given: listOf(configMap, `options: {labels: [a]}\n  ${everywhere}`),
      then: 'labels must be a map',
    },
    { name: 'with options that are no map', given: listOf(configMap, `options: a\n  ${everywhere}`), then: 'options must be a map' },
    { name: 'with a nested name', given: listOf(configMap, everywhere, '{a: b}'), then: 'name must be a text' },
    {
      name: 'with a repeated key',
      given: listOf(`${configMap}, literals: [A=1, A=2]`),
      then: 'configmap cm illegally repeats the key `A`',
    },
    { name: 'with a key that is none', given: listOf(`${configMap}, literals: ['a b=1']`), then: '"a b" is not a valid key name' },
    { name: 'with a key that leads up', given: listOf(`${configMap}, literals: ['..a=1']`), then: '"..a" is not a valid key name' },
    {
      name: 'with a literal without a value',
      given: listOf(`${configMap}, literals: [A]`),
      then: 'invalid literal source A, expected key=value',
    },
    { name: 'with a file without a key', given: listOf(`${configMap}, files: ['=x']`), then: 'missing key name for file path "x"' },
    { name: 'with a file without a path', given: listOf(`${configMap}, files: ['x=']`), then: 'missing file path for key name "x"' },
    {
      name: 'with a file with two separators',
      given: listOf(`${configMap}, files: ['a=b=c']`),
      then: "key name or file path contains '='",
    },
    { name: 'with an absent file', given: listOf(`${configMap}, files: [gone]`), then: 'cannot read file gone: ENOENT' },
    { name: 'with a wrong line of an env file', given: listOf(`${configMap}, envs: [bad.env]`), then: '"no key" is not a valid key name' },
    {
      name: 'with an env file that is no text',
      given: listOf(`${configMap}, envs: [latin.env]`),
      then: 'latin.env has invalid utf8 bytes',
    },
    { name: 'with an expression without a key', given: expression('operator: In'), then: 'matchExpressions.key cannot be empty' },
    { name: 'with an unknown operator', given: expression('key: a, operator: Is'), then: 'matchExpressions.operator is invalid' },
    { name: 'with In without values', given: expression('key: a, operator: In'), then: 'values for In and NotIn cannot be empty' },
    { name: 'with an empty value', given: expression("key: a, operator: In, values: ['']"), then: 'the element of field' },
    { name: 'with a repeated value', given: expression('key: a, operator: NotIn, values: [x, x]'), then: 'values cannot be repeated' },
    { name: 'with Exists with values', given: expression('key: a, operator: Exists, values: [x]'), then: 'must be empty' },
    { name: 'of another kind', given: 'kind: ResourceList\nfunctionConfig: {kind: Other}', then: 'not a Other' },
    { name: 'when it is absent', given: 'kind: ResourceList', then: 'functionConfig must be a ResourceDistributionGenerator' },
    { name: 'when it is no YAML', given: 'a: [', then: 'stdin is not a ResourceList: ' },
    { name: 'when stdin is empty', given: '', then: 'stdin is not a ResourceList' },
  ])('$name', ({ given, then }) => {
    expect(() => run(given)).toThrow(then);
  });
});

describe('the program', () => {
  const program = join(import.meta.dirname, '../resourcedistributiongenerator.ts');
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'generator-'));
    mkdirSync(join(folder, 'work'));
    writeFileSync(join(folder, 'outside'), 'secret');
    writeFileSync(join(folder, 'work/inside'), 'x');
    symlinkSync('../outside', join(folder, 'work/link'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const start = (given: string): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, [program], {
      cwd: join(folder, 'work'),
      input: listOf(`${configMap}, files: [${given}]`),
      encoding: 'utf8',
    });

  it('reads files below its working directory only, also through links', () => {
    expect(start('inside')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('inside: x') });
    for (const path of ['../outside', 'link'])
      expect(start(path)).toMatchObject({
        status: 1,
        stdout: '',
        stderr: expect.stringMatching(/^Error: security; file '.*' is not in or below/),
      });
  });
});
