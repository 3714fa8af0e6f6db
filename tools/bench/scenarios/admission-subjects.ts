/** What is reviewed: SidecarSets with a container, a volume and an annotation each, and a Pod of about 8 KB. */
import type { SidecarSet } from '@kruise/api';
import type { ReviewSubject } from '../manager/admission-load.ts';
import { namespace } from '../manager/namespace.ts';
import { realisticPod } from '../store/realistic-pod.ts';

export const matchingLabels = { app: 'bench-admission' };

/** Names differ, for two that may meet in one Pod must not. */
export const sidecarSet = (name: string, matchLabels: Readonly<Record<string, string>>): SidecarSet => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name },
  spec: {
    selector: { matchLabels },
    containers: [
      {
        name,
        image: `registry.example.com/team/${name}:v1`,
        env: [{ name: 'SET', value: name }],
        resources: { limits: { cpu: '100m', memory: '64Mi' } },
        volumeMounts: [{ name: `${name}-data`, mountPath: `/var/${name}` }],
        transferEnv: [{ sourceContainerName: 'main', envName: 'DATABASE_URL' }],
      },
    ],
    volumes: [{ name: `${name}-data`, emptyDir: {} }],
    patchPodMetadata: [],
  },
});

const wantedBytes = 8 * 1024;

/** As a controller creates it: without status, without what the server adds. */
export function reviewedPod(): ReviewSubject {
  const { metadata, spec } = realisticPod(1);
  const labels = { ...metadata.labels, ...matchingLabels };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: metadata.name, namespace, labels }, spec };
  const annotations = { filling: 'x'.repeat(Math.max(wantedBytes - JSON.stringify(pod).length, 0)) };
  const filled = { ...pod, metadata: { ...pod.metadata, annotations } };
  return {
    path: '/mutate-pod',
    resource: { group: '', version: 'v1', resource: 'pods' },
    kind: { group: '', version: 'v1', kind: 'Pod' },
    object: filled,
  };
}
