import { describe, expect, it } from '@jest/globals';
import { annotations } from '@kruise/api';
import { configNamesOf, configText } from './config-names.ts';

const namesOf = (text: string | undefined) =>
  configNamesOf({ metadata: { name: 'web', annotations: text === undefined ? {} : { [annotations.configRollout]: text } } });

/** As in the annotation, or why it cannot be used. */
function readBack(text: string | undefined): readonly string[] | string {
  const names = namesOf(text);
  if (names.kind === 'None') return [];
  return names.kind === 'Faulty' ? names.why : names.references.map((one) => `${configText(one)}${one.isOptional ? '?' : ''}`);
}

const faultOf = (entry: string): string =>
  `annotation apps.kruise.io/config-rollout: ${entry} is not configmap/NAME or secret/NAME, with ? at the end if it may be missing`;

describe('the annotation config-rollout', () => {
  it.each<{ name: string; text: string | undefined; then: readonly string[] | string }>([
    { name: 'is absent', text: undefined, then: [] },
    { name: 'is empty', text: ' , ', then: [] },
    { name: 'names objects in any order', text: 'secret/b, configmap/c?,configmap/a', then: ['ConfigMap a', 'ConfigMap c?', 'Secret b'] },
    { name: 'names a ConfigMap and a Secret of the same name', text: 'secret/a,configmap/a', then: ['ConfigMap a', 'Secret a'] },
    { name: 'names an object twice', text: 'configmap/a,configmap/a', then: ['ConfigMap a'] },
    { name: 'names an object once as required', text: 'configmap/a?,configmap/a,configmap/a?', then: ['ConfigMap a'] },
    { name: 'has names with dots', text: 'configmap/a.b-c.1', then: ['ConfigMap a.b-c.1'] },
    { name: 'lacks the kind', text: 'app', then: faultOf('"app"') },
    { name: 'names another kind', text: 'pod/app', then: faultOf('"pod/app"') },
    { name: 'names an object of another namespace', text: 'configmap/other/app', then: faultOf('"configmap/other/app"') },
    { name: 'has an illegal name', text: 'configmap/App', then: faultOf('"configmap/App"') },
    { name: 'has an empty name', text: 'configmap/?', then: faultOf('"configmap/?"') },
    { name: 'has a name that would be a selector', text: 'configmap/a!=b', then: faultOf('"configmap/a!=b"') },
    { name: 'has a name of 254 characters', text: `configmap/${'a'.repeat(254)}`, then: faultOf(`"configmap/${'a'.repeat(50)}…"`) },
    { name: 'has a name that is not ASCII', text: 'configmap/größe', then: faultOf('"configmap/größe"') },
    { name: 'has a name with spaces', text: 'configmap/a b', then: faultOf('"configmap/a b"') },
    {
      name: 'has characters that end a line, turn text around and control a terminal',
      text: 'configmap/a\u2028b\u202ec\u009bd\u0000',
      then: faultOf(String.raw`"configmap/a\u{2028}b\u{202e}c\u{9b}d\u0000"`),
    },
    {
      name: 'is cut in the middle of a character',
      text: `x${'\u{1F680}'.repeat(40)}`,
      then: faultOf(`"x${'\u{1F680}'.repeat(29)}${String.raw`\ud83d`}…"`),
    },
    { name: 'is JSON', text: '["a"]', then: faultOf('"[\\"a\\"]"') },
  ])('that $name is read as $then', ({ text, then }) => {
    expect(readBack(text)).toEqual(then);
  });

  it('names 16 objects at most', () => {
    const of = (count: number): string => Array.from({ length: count }, (_, index) => `configmap/c${index}`).join();
    expect(readBack(of(16))).toHaveLength(16);
    expect(readBack(of(17))).toBe('annotation apps.kruise.io/config-rollout: it names 17 objects, at most 16 are allowed');
  });

  it('is read in time that grows with its length, whatever it contains', () => {
    const text = `configmap/${'a-'.repeat(120_000)}`;
    const start = performance.now();
    expect(namesOf(text).kind).toBe('Faulty');
    expect(performance.now() - start).toBeLessThan(1000);
  });
});
