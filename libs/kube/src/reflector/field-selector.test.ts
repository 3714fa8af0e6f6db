import { expect, it } from '@jest/globals';
import { parseFieldSelector } from './field-selector.ts';

const object = {
  metadata: { name: 'a', namespace: 'ns', labels: { app: 'x' } },
  spec: { nodeName: 'node', replicas: 3, hostNetwork: true, nothing: null, text: 'abc', parts: {}, list: ['one'] },
};

it.each<[string, boolean]>([
  ['', true],
  [' , ', true],
  ['metadata.name=a', true],
  ['metadata.name==a', true],
  ['metadata.name=b', false],
  ['metadata.name!=b', true],
  ['metadata.name!=a', false],
  [' metadata.name = a ', true],
  ['metadata.name=a,spec.nodeName=node', true],
  ['metadata.name=a,spec.nodeName=other', false],
  ['metadata.name=a, ,spec.nodeName=node', true],
  ['metadata.name=b,spec.nodeName=node', false],
  ['spec.replicas=3', true],
  ['spec.hostNetwork=true', true],
  ['spec.absent=', true],
  ['spec.absent!=x', true],
  ['absent.deeper.still=', true],
  ['spec.nothing=', true],
  ['spec.nothing.deeper=', true],
  ['spec.text.length=3', false],
  ['spec.text.length=', true],
  ['spec.parts=', true],
  ['spec.parts=[object Object]', false],
  ['spec.list=one', false],
  ['spec.toString=', true],
])('%j selects: %p', (text, selected) => {
  expect(parseFieldSelector(text)(object as never)).toBe(selected);
});

it.each(['metadata.name', '=a', '!metadata.name=a', '1=a', 'metadata.name>a', 'a-b=c', 'metadata.name=a,b'])('%j is none', (text) => {
  expect(() => parseFieldSelector(text)).toThrow(/not a field selector/);
});
