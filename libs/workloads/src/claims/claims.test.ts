import { describe, expect, it } from '@jest/globals';
import type { Pod } from '@kruise/objects';
import { claimVolumes, mountsOf, newClaim, withClaimVolumes } from './claims.ts';

const template = {
  metadata: { name: 'data', labels: { tier: 'db', app: 'theirs' }, annotations: { note: 'kept' } },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
} as const;
const shape = { name: 'data-web-0', namespace: 'default', labels: { app: 'web' }, owners: [] };

describe('a claim', () => {
  it('is its template with a name, a namespace and labels of its own', () => {
    expect(newClaim(template, shape)).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data-web-0', namespace: 'default', labels: { tier: 'db', app: 'web' }, annotations: { note: 'kept' } },
      spec: template.spec,
    });
  });

  it('has owners only when there are any, and no spec when its template has none', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'web-0', uid: 'u' };
    expect(newClaim({ metadata: { name: 'data' } }, { ...shape, owners: [owner] })).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data-web-0', namespace: 'default', labels: { app: 'web' }, ownerReferences: [owner] },
    });
  });
});

describe('volumes of claims', () => {
  const named = (name: string) => ({ metadata: { name } });
  const own = claimVolumes([named('b'), named('a')], ({ metadata }) => `${metadata.name}-web-0`);

  it('are in the order of their templates', () => {
    expect(own).toEqual([
      { name: 'b', persistentVolumeClaim: { claimName: 'b-web-0', readOnly: false } },
      { name: 'a', persistentVolumeClaim: { claimName: 'a-web-0', readOnly: false } },
    ]);
  });

  it('come first, and replace those of the template with their names', () => {
    const volumes = [
      { name: 'x', emptyDir: {} },
      { name: 'a', emptyDir: {} },
    ];
    expect(withClaimVolumes({ volumes }, own).map(({ name }) => name)).toEqual(['b', 'a', 'x']);
    expect(withClaimVolumes({}, [])).toEqual([]);
  });
});

describe('the Pods that mount a claim', () => {
  const mounting = (name: string, ...claimNames: readonly string[]): Pod => ({
    metadata: { name },
    spec: { containers: [], volumes: claimNames.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) },
  });

  it('are those with a volume of it, each once', () => {
    const [a, b, c] = [mounting('a', 'data', 'data'), mounting('b', 'logs', 'data'), mounting('c')];
    expect([...mountsOf([a, b, c])]).toEqual([
      ['data', [a, b]],
      ['logs', [b]],
    ]);
  });
});
