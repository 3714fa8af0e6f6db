/** What the controller of MaintenanceNotices reads, and which rules it follows. */
import { deleteExactly, enqueueOwner, watchInformer, type Client, type StoreReader } from '@kruise/kube';
import { configMaps, keyOf, unreachable, type ConfigMap } from '@kruise/objects';
import { planController } from '../../../apps/manager/src/workloads/passes/plan-controller.ts';
import { maintenanceNoticeDeclaration, maintenanceNotices, noticeLabel, type MaintenanceNotice } from '../api/index.ts';
import { computeStatus, plan, type Action, type Plan, type Snapshot } from './plan.ts';

type Types = { object: MaintenanceNotice; known: StoreReader<ConfigMap>; snapshot: Snapshot; action: Action; plan: Plan };

async function execute(action: Action, { client }: { readonly client: Client }, signal: AbortSignal): Promise<unknown> {
  const { kind, configMap } = action;
  switch (kind) {
    case 'Create':
      return client.create(configMaps, configMap, { signal });
    case 'Restore':
      return client.patch(configMaps, keyOf(configMap), action.patch, { type: 'merge', signal });
    case 'Delete':
      return deleteExactly(client, configMaps, configMap, { signal });
    default:
      return unreachable(kind);
  }
}

export const maintenanceNoticeController = planController<Types>({
  name: maintenanceNoticeDeclaration.controllerName,
  workers: 1,
  type: maintenanceNotices,
  sources: ({ caches }) => {
    const owned = caches.part(configMaps, { ...caches.scope, labelSelector: noticeLabel });
    const watches = [watchInformer(owned, enqueueOwner(maintenanceNotices))];
    return { objects: caches.of(maintenanceNotices), known: owned.store, watches };
  },
  // The garbage collector deletes what a deleted notice owns.
  leaves: ({ metadata }) => metadata.deletionTimestamp !== undefined,
  rules: {
    observe: (held, notice) => ({ notice, configMap: held.get(keyOf(notice)) }),
    plan,
    conclude: ({ object, plan: { state }, now }, { error }) => ({
      status: computeStatus(object, error === undefined ? state : { reason: 'WriteFailed', message: error.message }, now),
    }),
  },
  status: 'Replace',
  stages: ({ actions }) => ({ before: [{ name: 'publish', actions, onFailure: 'Collect' }] }),
  execute,
});
