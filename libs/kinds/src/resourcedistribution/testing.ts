/** Objects that tests of this kind are about. */
import { resourceDistributionAnnotations, type ResourceDistribution, type ResourceDistributionTargets } from '@kruise/api';
import { parseLossless, type KubeObject } from '@kruise/objects';
import { slimCopyOf, type Copy } from './copy.ts';
import { newCopy } from './new-copy.ts';
import { readWanted, type Wanted } from './wanted.ts';

export const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { color: 'blue' } };
export const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'token' }, stringData: { password: 'hunter2' } };

export const list = (...names: readonly string[]) => ({ list: names.map((name) => ({ name })) });

export const aDistribution = (
  targets: ResourceDistributionTargets,
  resource: object = configMap,
  metadata: Partial<KubeObject['metadata']> = {},
): ResourceDistribution => ({
  metadata: { name: 'dist', uid: 'dist-uid', generation: 1, ...metadata },
  spec: { resource: resource as ResourceDistribution['spec']['resource'], targets },
});

export const aNamespace = (name: string, labels: Record<string, string> = {}, more: object = {}): KubeObject => ({
  metadata: { name, labels, ...more },
});

/** @throws when nothing can be made of it */
export function wantedOf(distribution: ResourceDistribution): Wanted {
  const reading = readWanted(distribution);
  if (reading.kind === 'Faulty') throw new Error(reading.why);
  return reading.wanted;
}

/** As the API server has it once it was made. */
export const madeCopy = (wanted: Wanted, namespace: string, more: Partial<KubeObject['metadata']> = {}): KubeObject => {
  const made = newCopy(wanted, namespace);
  return { ...made, metadata: { ...made.metadata, uid: `uid-${namespace}`, resourceVersion: '1', ...more } };
};

export const heldCopy = (wanted: Wanted, namespace: string, more: Partial<KubeObject['metadata']> = {}): Copy =>
  slimCopyOf(wanted.of)(madeCopy(wanted, namespace, more));

/** An object of another owner with the name. */
export const foreignCopy = (wanted: Wanted, namespace: string): Copy =>
  slimCopyOf(wanted.of)({
    metadata: { name: wanted.resource.metadata.name, namespace, uid: `foreign-${namespace}`, resourceVersion: '1' },
  });

/**
 * A copy as the original makes it: from recorded members, in its order.
 *
 * @param owner uid of the distribution
 */
export const originalCopy = (namespace: string, owner: string, hash: string): KubeObject =>
  parseLossless(
    JSON.stringify({
      apiVersion: 'v1',
      data: configMap.data,
      kind: 'ConfigMap',
      metadata: {
        annotations: {
          [resourceDistributionAnnotations.from]: 'dist',
          [resourceDistributionAnnotations.hash]: hash,
        },
        name: 'settings',
        namespace,
        ownerReferences: [
          {
            apiVersion: 'apps.kruise.io/v1alpha1',
            blockOwnerDeletion: true,
            controller: true,
            kind: 'ResourceDistribution',
            name: 'dist',
            uid: owner,
          },
        ],
      },
    }),
  ) as KubeObject;
