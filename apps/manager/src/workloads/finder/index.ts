/** The workload finder. @see spec/podunavailablebudget.md 10 */
export { KindMapper, UnknownKind } from './kind-mapper.ts';
export { configurationOf, whiteListOf } from './white-list-cache.ts';
export type { WhiteListCache } from './white-list-cache.ts';
export { WhiteListedKinds } from './white-listed-watches.ts';
export { WorkloadFinder } from './workload-finder.ts';
export type { ListedKinds } from './workload-finder.ts';
