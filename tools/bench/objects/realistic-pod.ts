/** Pods as a cluster holds them: about 12 KB of JSON with the managedFields that the server adds, 100 to a workload template. */
import type { Client } from '@kruise/kube';
import { pods as podType, type Pod } from '@kruise/objects';
import type { ReviewSubject } from '../manager/admission-load.ts';
import { manifest } from './manifest.ts';
import { cloneSet, namespace } from './workloads.ts';

const podsPerTemplate = 100;

const pod = manifest<Pod & { readonly status: NonNullable<Pod['status']> }>('pod.yaml');

const suffixOf = (at: number): string => ((at * 2_654_435_761) % 60_466_176).toString(36).padStart(5, 'x');
const hexOf = (seed: number): string =>
  Array.from({ length: 8 }, (_, part) => (Math.imul(seed + part * 97, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0')).join('');
const timeOf = (at: number): string => new Date(Date.UTC(2025, 5, 1) + at * 1000).toISOString().replace('.000Z', 'Z');

/** @param at counts from 0; every {@link podsPerTemplate} of them come of one template */
export function realisticPod(at: number): ReturnType<typeof pod> {
  const template = Math.floor(at / podsPerTemplate);
  const app = `service-${String(template).padStart(3, '0')}`;
  const tokens: readonly (readonly [string, string])[] = [
    ...[0, 1, 2, 3, 4, 9].map((seconds) => [`time${seconds}`, timeOf(at + seconds)] as const),
    ...[1, 2, 3].map((number) => [`containerId${number}`, hexOf(at * 10 + number)] as const),
  ];
  return pod({
    ...Object.fromEntries<string>(tokens),
    app,
    hash: suffixOf(template + 1000),
    suffix: suffixOf(at),
    tokenSuffix: suffixOf(at + 7),
    ownerUid: `00000001-7a3b-4c1d-9e2f-${template.toString(16).padStart(12, '0')}`,
    checksum: hexOf(template),
    imageIdMain: hexOf(app.length * 131 + 'main'.length),
    imageIdProxy: hexOf(app.length * 131 + 'proxy'.length),
    imageIdMigrate: hexOf(app.length * 131 + 'migrate'.length),
    node: `node-${at % 200}`,
    hostIp: `10.0.${(at % 200) >> 4}.${at % 200}`,
    podIp: `10.244.${(at >> 8) % 256}.${at % 256}`,
  });
}

/** The same, bound to no node, so that no other program changes it. @param writer goes into the name, so that two clients do not meet */
export function unboundPod(
  at: number,
  writer: string,
  within = namespace,
): { readonly pod: Pod; readonly status: NonNullable<Pod['status']> } {
  const { metadata, spec, status } = realisticPod(at);
  const { nodeName: _unbound, ...rest } = spec;
  const { labels = {}, annotations = {} } = metadata;
  const unbound = { name: `${writer}-${at}`, namespace: within, labels, annotations };
  return { pod: { apiVersion: 'v1', kind: 'Pod', metadata: unbound, spec: { ...rest, schedulerName: 'nobody' } }, status };
}

/** As controllers and kubelets would: the Pod by one writer, its status by another, so that the server keeps managedFields of both. */
export async function createPod(client: Client, pod: Pod, status: NonNullable<Pod['status']>): Promise<Pod> {
  const created = await client.create<Pod>(podType, pod, { fieldManager: 'kube-controller-manager' });
  return client.updateStatus<Pod>(podType, { ...created, status }, { fieldManager: 'kubelet' });
}

/** Created with the template of the CloneSet. */
export const reviewedPod = (metadata: object): ReviewSubject => ({
  path: '/mutate-pod',
  type: podType,
  object: { ...cloneSet(1).spec.template, metadata: { namespace, name: '', ...metadata } },
});
