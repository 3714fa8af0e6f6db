import { describe, expect, it } from '@jest/globals';
import { goldenText } from '@kruise/testing';
import { parseDocuments, yamlText } from '../objects/documents.ts';
import { durationText } from './age.ts';
import { jsonPathText, jsonPathValues } from './json-path.ts';
import { podTemplateText } from './pod-template.ts';
import { indented } from './print-object.ts';
import { alignTabs } from './tab-writer.ts';

const object = {
  metadata: { name: 'x', annotations: { 'a.b/c': 'dotted' } },
  items: [
    { name: 'a', n: 1, ready: true, tags: ['p', 'q'] },
    { name: 'b', n: 2, ready: false, tags: [] },
    { name: 'c', n: 3, ready: true, tags: ['r'] },
  ],
};

describe('a JSONPath template', () => {
  it.each<[template: string, text: string]>([
    ['{.metadata.name}', 'x'],
    ['.metadata.name', 'x'],
    ['metadata.name', 'x'],
    ['{$.metadata.name}', 'x'],
    ['{.items[*].name}', 'a b c'],
    ['{.items[0].name}{"\\n"}', 'a\n'],
    ['{.items[-1].name}', 'c'],
    ['{.items[0:2].name}', 'a b'],
    ['{.items[::2].name}', 'a c'],
    ['{.items[0,2].name}', 'a c'],
    ['{.items[?(@.ready==true)].name}', 'a c'],
    ['{.items[?(@.name=="b")].n}', '2'],
    ['{.items[?(@.n>1)].name}', 'b c'],
    ['{.items[?(@.tags[0])].name}', 'a c'],
    ['{..name}', 'x a b c'],
    ["{.metadata.annotations['a.b/c']}", 'dotted'],
    ['{.metadata.annotations.a\\.b/c}', 'dotted'],
    ['{range .items[*]}{.name}={.n}{"\\t"}{end}.', 'a=1\tb=2\tc=3\t.'],
    ['{range .items[*]}{range .tags[*]}{@}{end}{end}', 'pqr'],
    ['name: {.metadata.name}', 'name: x'],
    ['{.metadata}', '{"name":"x","annotations":{"a.b/c":"dotted"}}'],
    ['{.none.deeper}', ''],
  ])('%s', (template, text) => expect(jsonPathText(template, object, true)).toBe(text));

  it('fails for what does not exist, when that is requested', () => {
    expect(() => jsonPathText('{.none}', object, false)).toThrow('none is not found');
  });

  it.each(['{.a', '{end}', '{range .items[*]}', '{.a[x]}'])('%s cannot be read', (template) => {
    expect(() => jsonPathText(template, object, true)).toThrow();
  });

  it('gives values as they are', () => {
    expect(jsonPathValues('{.items[*].n}', object, true)).toEqual([1, 2, 3]);
  });
});

it('columns are aligned in blocks, as the text tables of kubectl are', () => {
  expect(alignTabs('A\tBB\tC\nlong\tx\ty\n\nother\tz\n')).toBe('A     BB  C\nlong  x   y\n\nother  z\n');
});

it.each<[seconds: number, text: string]>([
  [0, '0s'],
  [119, '119s'],
  [120, '2m'],
  [150, '2m30s'],
  [599, '9m59s'],
  [600, '10m'],
  [10_799, '179m'],
  [10_800, '3h'],
  [11_100, '3h5m'],
  [28_800, '8h'],
  [172_800, '2d'],
  [180_000, '2d2h'],
  [691_200, '8d'],
  [63_072_000, '2y'],
  [-5, '<invalid>'],
])('%d s is %s', (seconds, text) => expect(durationText(seconds)).toBe(text));

it('JSON has four spaces and all digits of long integers', () => {
  expect(indented({ a: [1, { b: 9007199254740993n }], c: [], d: {}, e: undefined })).toBe(
    '{\n    "a": [\n        1,\n        {\n            "b": 9007199254740993\n        }\n    ],\n    "c": [],\n    "d": {}\n}',
  );
});

it('documents are read as kubectl reads them', () => {
  const text =
    'kind: A\napiVersion: v1\nmetadata: {name: a}\non: yes\n---\n# nothing\n---\nkind: BList\napiVersion: v1\nitems:\n- {kind: B, apiVersion: v1, metadata: {name: b}}\n';
  expect(parseDocuments(text, 'f')).toMatchObject([{ kind: 'A' }, { kind: 'B', metadata: { name: 'b' } }]);
  expect(parseDocuments('{"kind":"A","apiVersion":"v1","metadata":{"name":"a"},"n":9007199254740993}', 'f')).toMatchObject([
    { n: 9007199254740993n },
  ]);
  expect(() => parseDocuments('a: [', 'f')).toThrow('error parsing f: line');
  expect(() => parseDocuments('apiVersion: v1', 'f')).toThrow(`unable to decode "f": Object 'Kind' is missing`);
  expect(() => parseDocuments('kind: A', 'f')).toThrow(`unable to decode "f": Object 'apiVersion' is missing`);
  expect(() => parseDocuments('- 1', 'f')).toThrow('error parsing f: a document is not an object');
  expect(yamlText({ b: 1, a: { y: 'on', x: ['1'] } })).toBe('a:\n  x:\n  - "1"\n  "y": "on"\nb: 1\n');
});

it('a Pod template is described as kubectl does', () => {
  const probe = { initialDelaySeconds: 1, timeoutSeconds: 2, periodSeconds: 3, successThreshold: 1, failureThreshold: 5 };
  const template = {
    metadata: { labels: { b: '2', a: '1' } },
    spec: {
      serviceAccountName: 'robot',
      initContainers: [{ name: 'init', image: 'busybox', command: ['sh', '-c', 'one\ntwo'] }],
      containers: [
        {
          name: 'main',
          image: 'nginx',
          ports: [{ containerPort: 80 }, { containerPort: 53, protocol: 'UDP', hostPort: 53 }],
          args: ['-v'],
          resources: { limits: { memory: '1Gi', cpu: '1' }, requests: { cpu: '500m' } },
          livenessProbe: { httpGet: { path: '/live', port: 80 }, ...probe },
          readinessProbe: { tcpSocket: { port: 'http' }, ...probe },
          startupProbe: { exec: { command: ['true'] }, ...probe },
          envFrom: [{ configMapRef: { name: 'settings' } }],
          env: [
            { name: 'A', value: '1' },
            { name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
            { name: 'C', valueFrom: { configMapKeyRef: { name: 'c', key: 'k', optional: true } } },
            { name: 'P', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          ],
          volumeMounts: [
            { name: 'data', mountPath: '/z' },
            { name: 'conf', mountPath: '/a', readOnly: true, subPath: 'x' },
          ],
        },
      ],
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'd' } },
        { name: 'conf', configMap: { name: 'c' } },
        { name: 'tmp', emptyDir: {} },
        { name: 'csi', csi: {} },
      ],
      priorityClassName: 'high',
    },
  };
  expect(podTemplateText(template)).toBe(goldenText(new URL('./testdata/pod-template.txt', import.meta.url), podTemplateText(template)));
});
