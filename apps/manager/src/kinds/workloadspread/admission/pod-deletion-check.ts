/** Records the deletion of a Pod, so that its replacement gets a place in its subset. Never refuses a deletion. @see spec/workloadspread.md 4.5 */
import type { WorkloadSpread } from '@kruise/api';
import { controllerOf, isPodActive, messageOf, type Pod } from '@kruise/objects';
import { askedPod, isDryRun } from '../../../module/asked-pod.ts';
import type { HandlerDependencies } from '../../../module/handler-dependencies.ts';
import type { PodCheck, PodOperationRequest } from '../../../module/pod-check.ts';
import { isSpreadByOrdinal, onlyOpenSubset, matchedOf, type Matched, versionOfPod } from '@kruise/kinds/workloadspread';
import { releaseNeeds } from './pod-needs.ts';
import { podWebhookOf, type PodWebhook } from './pod-webhook.ts';

/** The WorkloadSpread that counts the Pod; undefined when none does. */
function countingSpread(pod: Pod, { name }: Matched, { lookup }: PodWebhook): WorkloadSpread | undefined {
  if (!isPodActive(pod) || controllerOf(pod) === undefined) return undefined;
  const spread = lookup.spreads.store.get({ namespace: pod.metadata.namespace ?? '', name });
  return spread === undefined || onlyOpenSubset(spread) !== undefined || isSpreadByOrdinal(spread) ? undefined : spread;
}

async function release(asked: PodOperationRequest, dependencies: HandlerDependencies, signal: AbortSignal): Promise<void> {
  const parts = podWebhookOf(dependencies);
  const pod = await askedPod(asked, dependencies.client, signal);
  const matched = pod === undefined ? undefined : matchedOf(pod);
  if (pod === undefined || matched === undefined) return;
  await parts.lookup.waitForSync(signal);
  const spread = countingSpread(pod, matched, parts);
  if (spread === undefined) return;
  const version = versionOfPod(pod, parts.versioned);
  const answer = await parts.bookkeeping.count(
    spread,
    { kind: 'Release', pod: pod.metadata.name, subset: matched.subset, version },
    signal,
  );
  if (answer.kind === 'Released') dependencies.onSpread?.('Released');
}

export function workloadSpreadDeletionCheck(dependencies: HandlerDependencies): PodCheck {
  const { store } = podWebhookOf(dependencies).lookup.spreads;
  const { logger, onSpread } = dependencies;
  return {
    name: 'workloadspread',
    needs: {
      isReady: () => store.synced,
      current: () => releaseNeeds(store.list()),
      watch: (changed) => void store.subscribe(changed),
    },
    check: async (asked, signal) => {
      try {
        if (!isDryRun(asked.request)) await release(asked, dependencies, signal);
      } catch (error) {
        onSpread?.('ReleaseFailed');
        const { namespace = '', name = '' } = asked.request;
        logger?.warn(
          { pod: `${namespace}/${name}`, why: messageOf(error) },
          'Failed to record the deletion of a Pod in its WorkloadSpread; the controller will record it',
        );
      }
      return { kind: 'Allowed' };
    },
  };
}
