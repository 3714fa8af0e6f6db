/** The workload finder. @see spec/podunavailablebudget.md 10 */
export { groupKindOf, isSameKind } from '@kruise/workloads';
export type { FoundWorkload, GroupKind, WorkloadReference } from '@kruise/workloads';
export { KindMapper, UnknownKind } from './kind-mapper.ts';
export { listedKind, readWhiteList } from '@kruise/workloads';
export type { WhiteListedKind, WhiteListReading } from '@kruise/workloads';
export { configurationOf, whiteListOf } from './white-list-cache.ts';
export type { WhiteListCache } from './white-list-cache.ts';
export { WhiteListedKinds } from './white-listed-watches.ts';
export { WorkloadFinder } from './workload-finder.ts';
export type { ListedKinds, PodsOfWorkload } from './workload-finder.ts';
export { builtInDaemonSets, builtInStatefulSets, deployments, replicaSets } from '@kruise/workloads';
