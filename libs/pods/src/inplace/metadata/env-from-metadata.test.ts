import { describe, expect, it } from '@jest/globals';
import { metadataEnvs } from './env-from-metadata.ts';

const from = (name: string, fieldPath: string, more: object = {}) => ({ name, valueFrom: { fieldRef: { fieldPath } }, ...more });

describe('the variables that a container reads from metadata', () => {
  it('are those that name a label or an annotation, in the order of the environment', () => {
    const env = [
      from('B', "metadata.annotations['n']"),
      { name: 'PLAIN', value: 'x' },
      { name: 'SECRET', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
      from('NODE', 'spec.nodeName'),
      from('NAME', 'metadata.name'),
      from('OWN', "metadata.labels['x']", { value: 'own' }),
      from('EMPTY', "metadata.labels['e']", { value: '' }),
      from('SIDECARSET_VERSION', "metadata.annotations['v']"),
      from('SIDECARSET_VERSION_ALT', "metadata.annotations['v']"),
      from('A', "metadata.labels['x.io/y']"),
    ];
    expect(metadataEnvs({ name: 'c', env })).toEqual([
      { name: 'B', from: 'annotations', key: 'n' },
      { name: 'EMPTY', from: 'labels', key: 'e' },
      { name: 'A', from: 'labels', key: 'x.io/y' },
    ]);
  });

  it('are none without an environment', () => {
    expect(metadataEnvs({ name: 'c' })).toEqual([]);
  });
});
