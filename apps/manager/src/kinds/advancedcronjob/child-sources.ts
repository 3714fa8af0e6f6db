/** The caches of the jobs that AdvancedCronJobs create. */
import { broadcastJobDeclaration, broadcastJobs, imageListPullJobDeclaration, imageListPullJobs, type AdvancedCronJob } from '@kruise/api';
import { watchInformer, type Informer, type Watch } from '@kruise/kube';
import { controllerOf, jobs, type KubeObject } from '@kruise/objects';
import { childOfBroadcastJob, childOfImageList, childOfJob, type Child } from '@kruise/kinds/advancedcronjob';
import { byOwner } from '@kruise/workloads';
import type { ControllerDependencies } from '../../module/controller-dependencies.ts';
import { isInstalled } from '../../module/kind-module.ts';
import { requestsForChild } from './triggers.ts';

/** Jobs of one kind. */
interface ChildSource {
  readonly watch: Watch;
  readonly childrenOf: (job: AdvancedCronJob) => readonly Child[];
}

const childSource = <T extends KubeObject>(informer: Informer<T>, seen: (object: T) => Child): ChildSource => ({
  watch: watchInformer(informer, requestsForChild(seen)),
  childrenOf: ({ metadata: { uid = '', namespace = '' } }) =>
    informer.store
      .byIndex(byOwner, uid, { namespace })
      .filter((object) => controllerOf(object)?.uid === uid)
      .map(seen),
});

/** Those of the kinds that are installed. */
export const childSourcesOf = ({ caches, installed }: ControllerDependencies): readonly ChildSource[] => [
  childSource(caches.of(jobs, byOwner), childOfJob),
  ...(isInstalled(broadcastJobDeclaration, installed) ? [childSource(caches.of(broadcastJobs, byOwner), childOfBroadcastJob)] : []),
  ...(isInstalled(imageListPullJobDeclaration, installed) ? [childSource(caches.of(imageListPullJobs, byOwner), childOfImageList)] : []),
];
