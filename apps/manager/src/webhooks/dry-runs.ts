/** Whether an object could be made, asked of the API server. The one call of handlers that is a write in form, and it can be no other. */
import type { Client } from '@kruise/kube';
import { configMaps, secrets, type KubeObject, type ResourceType } from '@kruise/objects';
import type { DryRuns } from '../module/handler-dependencies.ts';
import { liveCallMs } from './quick-reads.ts';

/**
 * Always a dry run, always in this namespace, always one of two kinds; it fails after 2 s.
 *
 * @param podNamespace the manager's own
 */
export const dryRunsIn = (podNamespace: string, client: Pick<Client, 'create'>): DryRuns => ({
  create: async ({ of, version, resource }, signal) => {
    const type: ResourceType<KubeObject> = { ...(of === 'Secret' ? secrets : configMaps), version };
    const object: KubeObject = { ...resource, metadata: { ...resource.metadata, namespace: podNamespace } };
    await client.create(type, object, { dryRun: true, timeoutMs: liveCallMs, signal });
  },
});
