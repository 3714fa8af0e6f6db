/** What the two parts of the Pod webhook share in a process: one object counts both creations and deletions of Pods. */
import { SystemClock } from '@kruise/kube';
import type { HandlerDependencies } from '../../../module/handler-dependencies.ts';
import { Bookkeeping } from '../bookkeeping.ts';
import { SpreadLookup } from '../observe-spread.ts';
import { versionedKinds, type VersionedKinds } from '@kruise/kinds/workloadspread';

/** As much as the flag says when it is not given. */
const defaultVersioned = 'deployment,replicaset';

export interface PodWebhook {
  readonly lookup: SpreadLookup;
  readonly bookkeeping: Bookkeeping;
  readonly versioned: VersionedKinds;
}

function make(dependencies: HandlerDependencies): PodWebhook {
  const { client, writes, onSpread, flags, clock = new SystemClock() } = dependencies;
  const lookup = new SpreadLookup(dependencies, clock);
  const bookkeeping = new Bookkeeping({
    client,
    lookup,
    clock,
    ...(writes === undefined ? {} : { writes }),
    ...(onSpread === undefined ? {} : { onSpread }),
  });
  return { lookup, bookkeeping, versioned: versionedKinds(flags?.['ws-enabled-versioned-status'] ?? defaultVersioned) };
}

/** Steps and checks of one process share one set of books. */
export const podWebhookOf = (dependencies: HandlerDependencies): PodWebhook => dependencies.caches.shared(make, dependencies);
