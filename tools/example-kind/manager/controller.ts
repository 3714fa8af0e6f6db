/** Joins watches, observe, plan, execute and status; holds no rule of the kind. */
import { deleteExactly, enqueueOwner, enqueueSelf, nextLook, outcomeOf, runPlan, settled, watchInformer, writeStatus } from '@kruise/kube';
import { configMaps, formatKey, keyOf, unreachable } from '@kruise/objects';
import type { ControllerDependencies } from '../../../apps/manager/src/module/controller-dependencies.ts';
import type { ControllerModule, ControllerWork } from '../../../apps/manager/src/module/kind-module.ts';
import { maintenanceNoticeDeclaration, maintenanceNotices, noticeLabel } from '../api/index.ts';
import { computeStatus, plan, type Action } from './plan.ts';

async function execute(action: Action, client: ControllerDependencies['client'], signal: AbortSignal): Promise<unknown> {
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

function define({ client, clock, logger, caches }: ControllerDependencies): ControllerWork {
  const notices = caches.of(maintenanceNotices);
  const owned = caches.part(configMaps, { ...caches.scope, labelSelector: noticeLabel });

  const reconcile: ControllerWork['reconcile'] = async (key, signal) => {
    const notice = notices.store.get(key);
    // The garbage collector deletes what a deleted notice owns.
    if (notice === undefined || notice.metadata.deletionTimestamp !== undefined) return settled;
    const { actions, state, lookAgainAfter } = plan({ notice, configMap: owned.store.get(key) }, clock.now());
    const tools = { execute: (action: Action) => execute(action, client, signal), logger, about: { notice: formatKey(key) } };
    const result = await runPlan([{ name: 'publish', actions, onFailure: 'Stop' }], tools, signal);
    const outcome = result.error === undefined ? state : ({ reason: 'WriteFailed', message: result.error.message } as const);
    const status = computeStatus(notice, outcome, clock.now());
    await writeStatus(client, maintenanceNotices, { object: notice, status, how: 'Replace' }, signal);
    return outcomeOf(result, nextLook(lookAgainAfter));
  };
  return { watches: [watchInformer(notices, enqueueSelf), watchInformer(owned, enqueueOwner(maintenanceNotices))], reconcile };
}

export const maintenanceNoticeController: ControllerModule = { name: maintenanceNoticeDeclaration.controllerName, workers: 1, define };
