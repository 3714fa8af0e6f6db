/** Step 2 of the Pod webhook: sends a new Pod to the first subset that has room. @see spec/workloadspread.md 4.2, 4.3 */
import { randomUUID } from 'node:crypto';
import type { AdmissionRequest } from '@kruise/admission';
import type { WorkloadSpread } from '@kruise/api';
import { formatKey, keyOf, type Pod } from '@kruise/objects';
import type { HandlerDependencies } from '../../../module/handler-dependencies.ts';
import type { PodStep, PodStepResult } from '../../../module/pod-step.ts';
import {
  isSpreadByOrdinal,
  onlyOpenSubset,
  ordinalOf,
  subsetOfOrdinal,
  injectSubset,
  matchedOf,
  limitOf,
  versionOfPod,
} from '@kruise/kinds/workloadspread';
import { injectionTrace, spreadNeeds } from './pod-needs.ts';
import { podWebhookOf, type PodWebhook } from './pod-webhook.ts';

type Subset = WorkloadSpread['spec']['subsets'][number];

interface Chosen {
  readonly spread: WorkloadSpread;
  readonly subset: Subset;
  /** Under which it is counted, when it has no name. */
  readonly uid?: string;
}

/**
 * A Pod that has no name yet is counted under an id; one that comes again in the same request brings it along. So does every Pod of a template that
 * was copied from a running Pod: an id that no Pod is being created under is not taken over.
 */
async function countedSubset(
  pod: Pod,
  spread: WorkloadSpread,
  { bookkeeping, versioned }: PodWebhook,
  signal: AbortSignal,
): Promise<Chosen | undefined> {
  const { name = '' } = pod.metadata as Partial<Pod['metadata']>;
  const matched = matchedOf(pod);
  const again = name === '' && matched?.name === spread.metadata.name ? matched.uid : undefined;
  const id = name === '' ? randomUUID() : name;
  const answer = await bookkeeping.count(spread, { kind: 'Place', id, again, version: versionOfPod(pod, versioned) }, signal);
  if (answer.kind !== 'Placed') return undefined;
  return { spread: answer.spread, subset: answer.subset, ...(name === '' ? { uid: answer.id } : {}) };
}

async function choose(pod: Pod, spread: WorkloadSpread, parts: PodWebhook, signal: AbortSignal): Promise<Chosen | undefined> {
  const only = onlyOpenSubset(spread);
  if (only !== undefined) return { spread, subset: only };
  if (!isSpreadByOrdinal(spread)) return countedSubset(pod, spread, parts, signal);
  const limits = spread.spec.subsets.map((subset) => limitOf(subset, undefined));
  const subset = subsetOfOrdinal(spread, limits, ordinalOf(pod.metadata.name));
  return subset === undefined ? undefined : { spread, subset };
}

async function placed(pod: Pod, parts: PodWebhook, { onSpread, logger }: HandlerDependencies, signal: AbortSignal): Promise<PodStepResult> {
  const found = await parts.lookup.find(pod, signal);
  if (found.kind === 'None') return { kind: 'Pod', pod };
  if (found.kind === 'OwnerGone') {
    const { kind, name } = found.owner;
    return { kind: 'Refused', message: `workload-spread: ${kind} ${name}, which controls the Pod, is not there (yet)` };
  }
  const chosen = await choose(pod, found.spread, parts, signal).catch((error: unknown) => {
    onSpread?.('PlacementFailed');
    throw error;
  });
  const about = { workloadSpread: formatKey(keyOf(found.spread)), pod: pod.metadata.name };
  if (chosen === undefined) {
    onSpread?.('NoRoom');
    logger?.info(about, 'Creating the Pod without a subset: all subsets are full');
    return { kind: 'Pod', pod };
  }
  const { spread, subset, uid } = chosen;
  const injected = injectSubset(pod, { spread, subset, uid });
  if (injected.kind === 'Faulty')
    return { kind: 'Refused', message: `workload-spread: WorkloadSpread ${spread.metadata.name}: ${injected.why}` };
  onSpread?.('Placed');
  logger?.debug({ ...about, subset: subset.name }, 'Assigned the Pod to a subset');
  return { kind: 'Pod', pod: injected.pod };
}

const isDryRun = ({ dryRun }: AdmissionRequest): boolean => dryRun === true;

/** Undefined where WorkloadSpreads are off. */
export function workloadSpreadStep(dependencies: HandlerDependencies): PodStep | undefined {
  if (!dependencies.gates.WorkloadSpread) return undefined;
  const parts = podWebhookOf(dependencies);
  const { lookup } = parts;
  const { store } = lookup.spreads;
  return {
    name: 'workload-spread',
    needs: {
      trace: injectionTrace,
      isReady: () => store.synced && lookup.whiteList.synced,
      current: () => spreadNeeds(store.list(), lookup.listed),
      watch: (changed) => {
        store.subscribe(changed);
        lookup.whiteList.subscribe(changed);
      },
    },
    apply: (pod, request, signal) => (isDryRun(request) ? { kind: 'Pod', pod } : placed(pod, parts, dependencies, signal)),
  };
}
